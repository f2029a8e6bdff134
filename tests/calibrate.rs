//! The programs that devices are calibrated with. The runtime has them as `lift!` embeds programs, since it knows no macro.

use lift::Program;
use lift::prelude::*;
use std::path::Path;

lift! {
    /// Sixteen running values for each work-item, and `16 * M` multiply-adds of each of its elements. All values are
    /// different, since a C compiler makes one of what is the same.
    pub fn multiply_adds<N, M, tune V: [1, 2, 4, 8, 16]>(xs: [f32; 256 * N], y: f32) -> [f32; 256 * N] {
        asScalar(join(mapGlb(0,
            |vs| toGlobal(reduceSeq(
                mapSeq(|v| toPrivate(v), vs),
                |sums, y| mapSeq(|sum| sum * y + y, sums),
                join(repeat(M, repeat(16, y))))),
            split(16, asVector(V, xs)))))
    }

    /// Each work-item adds up a column of its part `M` times, eight vectors at a time; neighbours have neighbouring columns.
    pub fn reads<P, M, L, W, tune V: [1, 2, 4, 8, 16]>(parts: [[[f32; W]; 8 * L]; P]) -> [[f32; W]; P]
    where
        W % V == 0,
    {
        mapGlb(1,
            |rows| asScalar(mapGlb(0,
                |column| toGlobal(reduceSeq(
                    toPrivate(column[0]),
                    |sum, v| sum + v,
                    reduceSeq(
                        mapSeq(|v| toPrivate(v), repeat(8, column[0])),
                        |sums, vs| mapSeq(|(sum, v)| sum + v, zip(sums, vs)),
                        join(repeat(M, split(8, column)))))),
                transpose(map(|row| asVector(V, row), rows)))),
            parts)
    }

    /// Every element is read and written.
    pub fn copies<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x, xs)
    }
}

/// The files are what the macro makes of the programs; `LIFT_UPDATE_GOLDEN=1` writes them anew.
#[test]
fn the_runtime_has_these_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lift-runtime/src/tune/calibrate");
    let programs: [&Program; 3] = [multiply_adds::program(), reads::program(), copies::program()];
    for program in programs {
        let (path, text) = (folder.join(format!("{}.json", program.name())), serde_json::to_string(program));
        let text = format!("{}\n", text.expect("it is data"));
        if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
            std::fs::write(&path, &text).expect("it is written");
        }
        let kept = std::fs::read_to_string(&path).expect("it is there");
        assert!(kept == text, "{} differs: run with LIFT_UPDATE_GOLDEN=1", path.display());
    }
}

lift! {
    fn sums<N, M>(rows: [[f32; M]; N]) -> [f32; N] {
        map(|row| reduce(0.0, |sum, x| sum + x, row), rows)
    }
}

/// Who asks for a good form of a program on a device that nothing is known of has it measured first, once.
#[test]
fn what_was_measured_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = lift::Settings { cache: Some(folder.path().into()), ..lift::Settings::default() };
    let kept = || {
        let files = std::fs::read_dir(folder.path().join("measured")).expect("it is there");
        files.map(|file| std::fs::read(file.expect("a file").path()).expect("it is read")).collect::<Vec<_>>()
    };
    let best = |m| {
        let tuning = sums::tuning(&Device::cpu_with(&settings), sums::Sizes { N: 8, M: m }).expect("it fits");
        tuning.best(lift::tune::Goal::Fastest).expect("there is one")
    };
    best(64);
    let first = kept();
    let figures = first[0].split(|byte| *byte == b' ').take(3).map(|word| {
        let word = std::str::from_utf8(word).expect("text");
        word.parse::<f64>().expect("a number")
    });
    assert!(first.len() == 1 && figures.into_iter().all(|figure| figure > 1e6));
    best(96);
    assert_eq!(kept(), first);
}
