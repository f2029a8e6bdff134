//! Each command on a small layer, as its user gives it: what it writes is read again.

use crate::figure::{self, Figure};
use crate::flags::{Command, Effort, Known, Mapped};
use crate::layers::Layer;
use crate::sheet::Sheet;
use crate::{constraints, expectancy, exploration, parameters, pareto, run, throughput};
use lift::tune::Launcher;
use serde::de::DeserializeOwned;
use std::path::Path;
use std::time::Duration;

/// No test by itself: where this binary is started as a worker, it is one from here on.
#[test]
fn worker() {
    lift::tune::worker();
}

fn effort(folder: &Path) -> Effort {
    let program = std::env::current_exe().expect("this test binary");
    let arguments = ["tests::worker", "--exact", "--nocapture"].map(String::from).to_vec();
    Effort {
        layers: vec![Layer { number: 3, inputs: 4, outputs: 8, side: 4 }],
        device: "cpu".into(),
        tune: Some(Duration::from_secs(60)),
        candidates: Some(4),
        candidate_time: Duration::from_secs(30),
        seed: 7,
        store: Some(folder.join("tuned.txt")),
        out: folder.to_path_buf(),
        worker: Some(Launcher { program, arguments }),
        ..Effort::default()
    }
}

/// Runs a command; its rows, and what it drew.
fn made<R: DeserializeOwned>(figure: &Figure, command: &Command) -> (Vec<R>, String) {
    let files = run(command, "figures as in a test").unwrap_or_else(|e| panic!("{}: {e}", figure.name));
    let [csv, drawn] = &files[..] else { panic!("{files:?}") };
    assert_eq!(
        csv.file_name().expect("a name"),
        &*if figure.of_device { format!("{}-cpu.csv", figure.name) } else { format!("{}.csv", figure.name) }
    );
    let sheet = Sheet::read(csv).expect("a sheet");
    assert_eq!(sheet.command, "figures as in a test");
    let text = std::fs::read_to_string(drawn).expect("a picture");
    // Anew from what was written.
    assert_eq!(figure::draw(csv).expect("it can be drawn"), *drawn);
    assert_eq!(std::fs::read_to_string(drawn).expect("a picture"), text);
    (sheet.rows().expect("rows"), text)
}

/// The words of a picture.
fn words(svg: &str) -> Vec<String> {
    let parsed = roxmltree::Document::parse(svg).expect("it is XML");
    parsed.descendants().filter_map(|n| n.text()).map(|text| text.trim().to_string()).collect()
}

fn shows(svg: &str, series: &[&str]) {
    let words = words(svg);
    series.iter().for_each(|name| assert!(words.iter().any(|w| w == name), "{name}: {words:?}"));
}

#[test]
fn throughput_of_given_forms_beside_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let points = write(
        "points.txt",
        "# forms\n3 combined D=4,V=4,R=1,Q=2\n3 combined D=8,V=8,R=1,Q=1\n3 -\n9 combined D=4\n",
    );
    let peer = write("peer.csv", "# measured by hand\nlayer,ms\n3,0.5\n9,0.1\n");
    let command = Command::Throughput {
        effort: Effort { tune: None, ..effort(folder.path()) },
        known: Known { files: vec![points] },
        peers: vec![("a peer".into(), peer)],
    };
    let (rows, svg) = made::<throughput::Row>(&throughput::FIGURE, &command);
    let series: Vec<&str> = rows.iter().map(|row| &*row.series).collect();
    assert_eq!(series, ["combined", "no schedule", "a peer"]);
    let operations = 2.0 * 4.0 * 4.0 * 9.0 * 4.0 * 8.0;
    for row in &rows {
        assert!((row.gflops * row.ms * 1e6 / operations - 1.0).abs() < 1e-3, "{} {}", row.gflops, row.ms);
        assert!(row.layer == 3 && row.peak_gflops > 0.0 && row.im2col_bytes > row.minimum_bytes);
        assert!(row.bytes.is_none_or(|bytes| bytes >= row.minimum_bytes));
    }
    assert_eq!((rows[2].ms, rows[2].bytes), (0.5, None));
    shows(&svg, &["combined", "no schedule", "a peer", "multiply-adds alone", "with im2col's matrix"]);
}

#[test]
fn throughput_of_every_schedule_after_a_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::Throughput {
        effort: Effort { candidates: Some(2), ..effort(folder.path()) },
        known: Known::default(),
        peers: vec![],
    };
    let (rows, svg) = made::<throughput::Row>(&throughput::FIGURE, &command);
    // A convolution is no prefix sum, no transposition, and no window in planes.
    let names = lift::schedules::SCHEDULES.iter().map(|s| s.name);
    let mut expected: Vec<&str> =
        names.filter(|name| !["scans", "turned", "framed"].contains(name)).collect();
    shows(&svg, &expected);
    expected.sort_unstable();
    assert_eq!(rows.iter().map(|row| &*row.series).collect::<Vec<_>>(), expected);
    for row in &rows {
        assert_eq!(row.form.split(' ').next(), Some(&*row.series), "{}", row.form);
        assert!(row.bytes.is_some_and(|bytes| bytes >= row.minimum_bytes), "{}", row.form);
    }
}

#[test]
fn the_front_is_drawn_over_all_that_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::Pareto { effort: effort(folder.path()) };
    let (rows, svg) = made::<pareto::Row>(&pareto::FIGURE, &command);
    assert!((1..=4).contains(&rows.len()), "{}", rows.len());
    for row in &rows {
        let covered = |other: &pareto::Row| {
            other.ms <= row.ms && other.bytes <= row.bytes && (other.ms, other.bytes) != (row.ms, row.bytes)
        };
        assert_eq!(row.front, !rows.iter().any(covered), "{}", row.form);
    }
    shows(&svg, &["the front", "im2col's memory", &rows[0].schedule]);

    // What was found is in the store, and is looked up.
    let command = Command::Parameters {
        effort: Effort { tune: None, ..effort(folder.path()) },
        known: Known::default(),
    };
    let (rows, table) = made::<parameters::Row>(&parameters::FIGURE, &command);
    assert_eq!((&*rows[0].parameter, rows[0].layer), ("schedule", 3));
    assert!(rows.iter().all(|row| row.ms > 0.0 && table.contains(&format!("`{}`", row.parameter))));
    assert!(table.contains("| parameter | meaning | value |"), "{table}");
}

#[test]
fn exploration_by_every_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::Exploration {
        effort: Effort { tune: Some(Duration::from_secs(24)), ..effort(folder.path()) },
        form: Mapped::default(),
    };
    let (rows, svg) = made::<exploration::Row>(&exploration::FIGURE, &command);
    for way in ["solver", "by hand", "random", "search"] {
        let own: Vec<_> = rows.iter().filter(|row| row.way == way).collect();
        let last = own.last().unwrap_or_else(|| panic!("nothing by {way}"));
        assert!(last.drawn >= last.candidate && own.len() == last.candidate + 1, "{way}");
        assert!(own.iter().all(|row| !row.outcome.starts_with("wrong")), "{way}");
        let best = own.iter().map(|row| row.gflops).fold(0.0, f64::max);
        assert_eq!(last.best_gflops, best, "{way}");
        let stages: f64 = own.iter().map(|r| r.solving_s + r.generating_s + r.building_s + r.running_s).sum();
        assert!(stages <= last.elapsed_s + 0.1, "{way}: {stages} of {}", last.elapsed_s);
        assert!(way == "random" || best > 0.0, "{way}");
    }
    shows(
        &svg,
        &["solver", "by hand", "random", "search", "solving or drawing", "building", "the best of all"],
    );
}

#[test]
fn expectancy_with_and_without_fusion() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::Expectancy { effort: effort(folder.path()), form: Mapped::default() };
    let (rows, svg) = made::<expectancy::Row>(&expectancy::FIGURE, &command);
    for fusion in ["always fused", "fused or not", "never fused"] {
        let own: Vec<_> = rows.iter().filter(|row| row.fusion == fusion).collect();
        assert!((1..=4).contains(&own.len()), "{fusion}");
        let best = own.iter().map(|row| row.gflops).fold(0.0, f64::max);
        let last = own.last().expect("some").expected_gflops;
        assert!((last - best).abs() <= 1e-9 * best && best > 0.0, "{fusion}: {last} is not {best}");
        assert!(
            own.windows(2).all(|w| w[0].expected_gflops <= w[1].expected_gflops * (1.0 + 1e-9)),
            "{fusion}"
        );
        assert!(fusion != "never fused" || own.iter().all(|row| !codes(&row.form).contains(&1)), "{fusion}");
    }
    shows(&svg, &["always fused", "fused or not", "never fused", "candidates", "GFLOP/s"]);
}

/// `[22 21 0] D=4`
fn codes(form: &str) -> Vec<i64> {
    let inside = form.trim_start_matches('[').split(']').next().unwrap_or_default();
    inside.split(' ').map(|code| code.parse().expect("a code")).collect()
}

#[test]
fn constraints_are_counted_for_every_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = Command::Constraints { effort: effort(folder.path()) };
    let (rows, table) = made::<constraints::Row>(&constraints::FIGURE, &command);
    let forms = ["", "inputs", "weights", "inputs and weights"];
    let rules = lift::constraints::RULES.len() + 1;
    assert_eq!(rows.len(), forms.len() * rules);
    let count = |options: &str, rule: &str| {
        let row = rows.iter().find(|row| row.options == options && row.rule == rule).expect("it is there");
        assert!(table.contains(&format!("| {rule} |")), "{table}");
        row.constraints
    };
    assert_eq!(count("", "local scoping"), 0);
    assert!(count("inputs", "local scoping") > 0 && count("", "duplicate scheduling") > 0);
}
