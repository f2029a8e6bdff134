//! Throughput and memory of each layer by each schedule: GPGPU'20, figure 5; CC'22, figure 4.

use crate::chart::{self, Axis, Panel, Series, Shape};
use crate::figure::{Figure, Picture};
use crate::flags::Known;
use crate::layers::{LAYERS, Layer};
use crate::peak::Peak;
use crate::session::{DAY, Session, gflops, ms, schedule};
use crate::sheet::Sheet;
use lift::schedules::SCHEDULES;
use lift::tune::{Choice, Found, Front, Goal, Outcome, Trials};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub static FIGURE: Figure = Figure {
    name: "throughput",
    title: "Throughput and memory of VGG-16's layers",
    source: "GPGPU'20, figure 5; CC'22, figure 4",
    text: "The best that is known of each schedule for each layer, beside what the device reaches with \
           multiplications and additions alone (dashed). Below, the device memory of the fastest of them, to the byte what \
           is allocated, beside the layer's arrays alone and with im2col's matrix.",
    of_device: true,
    draw,
};

#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    /// A schedule, or another's name.
    pub series: String,
    pub form: String,
    pub ms: f64,
    pub gflops: f64,
    /// Nothing is known of others' memory.
    pub bytes: Option<usize>,
    pub minimum_bytes: usize,
    pub im2col_bytes: usize,
    pub peak_gflops: f64,
}

/// A line of a file with others' times.
#[derive(Deserialize)]
struct Peer {
    layer: usize,
    ms: f64,
}

/// Runs of the peak for each layer.
const PEAKS: usize = 30;

pub fn measure(
    session: &Session,
    known: &Known,
    peers: &[(String, PathBuf)],
) -> Result<Vec<Row>, Box<dyn Error>> {
    let layers = session.layers(&LAYERS.map(|layer| layer.number));
    let known = choices(known)?;
    let peers = peers.iter().map(|(name, file)| times(file).map(|times| (name, times)));
    let peers = peers.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let peak = Peak::new(&session.device)?;
    // A search finds the best moments of a machine that is shared with others, so its peak must have as many.
    let more = |known| (0..PEAKS).try_fold(known, |most: f64, _| Ok::<_, lift::Error>(most.max(peak.now()?)));
    let mut peak_gflops = peak.best;
    let mut rows: Vec<Row> = vec![];
    for layer in &layers {
        peak_gflops = more(peak_gflops)?;
        let row = |series: &str, form: String, time: Duration, bytes| Row {
            layer: layer.number,
            series: series.into(),
            form,
            ms: ms(time),
            gflops: gflops(layer, time),
            bytes,
            minimum_bytes: layer.minimum_bytes(),
            im2col_bytes: layer.im2col_bytes(),
            peak_gflops,
        };
        let before = rows.len();
        for (name, (choice, time, bytes)) in best(session, layer, &known)? {
            rows.push(row(&name, choice.to_string(), time, Some(bytes)));
        }
        for (name, times) in &peers {
            let own = times.iter().filter(|peer| peer.layer == layer.number);
            rows.extend(own.map(|p| row(name, String::new(), Duration::from_secs_f64(p.ms / 1e3), None)));
        }
        rows[before..].iter().try_for_each(|row| session.tell(row))?;
        if session.stopped() {
            break;
        }
    }
    peak_gflops = more(peak_gflops)?;
    rows.iter_mut().for_each(|row| row.peak_gflops = peak_gflops);
    Ok(rows)
}

type Best = BTreeMap<String, (Choice, Duration, usize)>;

/// The fastest of each schedule among what is given, kept, and found now, each checked and timed by itself.
fn best(session: &Session, layer: &Layer, known: &[(usize, Choice)]) -> Result<Best, Box<dyn Error>> {
    let tuning = session.tuning(layer)?;
    let given = known.iter().filter(|(number, _)| *number == layer.number).map(|(_, choice)| choice.clone());
    let kept = tuning.front();
    let mut choices: Vec<Choice> = given.chain(kept.iter().map(|found| found.choice.clone())).collect();
    let limits = session.limits(DAY);
    let mut trials = tuning.trials(&limits)?;
    if let Some(time) = session.effort.tune {
        let share = time / SCHEDULES.len() as u32;
        for schedule in SCHEDULES {
            choices.extend(found(session, layer, &mut trials, schedule.name, share)?);
        }
    }
    if choices.is_empty() {
        choices.push(tuning.best(Goal::Fastest)?.choice);
    }
    let mut best = Best::new();
    for (k, choice) in choices.iter().enumerate().filter(|(k, choice)| !choices[..*k].contains(choice)) {
        session.say(format!("layer {}, {} of {}: {choice}", layer.number, k + 1, choices.len()));
        let Some(trial) = trials.choice(choice)? else { break };
        match trial.outcome {
            Outcome::Measured { time, bytes } => {
                let entry = best.entry(schedule(choice)).or_insert((choice.clone(), time, bytes));
                if time < entry.1 {
                    *entry = (choice.clone(), time, bytes);
                }
            }
            Outcome::Wrong(why) => return Err(format!("layer {}: `{choice}`: {why}", layer.number).into()),
            other => session.warn(&format!("layer {}: `{choice}`: {other:?}", layer.number)),
        }
    }
    Ok(best)
}

/// The fastest of a schedule after a search of it alone, which is kept as any other's.
fn found(
    session: &Session,
    layer: &Layer,
    trials: &mut Trials,
    schedule: &str,
    time: Duration,
) -> Result<Option<Choice>, Box<dyn Error>> {
    let tuning = session.tuning(layer)?.only(Some(schedule));
    let (start, most) = (Instant::now(), session.effort.candidates.unwrap_or(usize::MAX));
    let mut search = tuning.candidates(session.effort.seed);
    let mut front = Front::default();
    let mut tried = 0;
    while let Some(choice) = search.next_candidate() {
        let best = front.best().map(|found| found.time);
        session.say(format!("layer {}, {schedule}: {tried} tried, best {best:?}", layer.number));
        let Some(trial) = trials.choice(&choice)? else { break };
        tried += 1;
        match trial.outcome {
            Outcome::Measured { time, bytes } => {
                let found = Found { choice, time, bytes };
                search.learn(&found);
                front.insert(found);
            }
            Outcome::Wrong(why) => return Err(format!("layer {}: `{choice}`: {why}", layer.number).into()),
            Outcome::Refused(_) | Outcome::Late | Outcome::Crashed(_) => {}
        }
        if start.elapsed() >= time || tried >= most || session.stopped() {
            break;
        }
    }
    if let Some(store) = tuning.store() {
        store.merge(tuning.key(), &front)?;
    }
    Ok(front.best().map(|found| found.choice.clone()))
}

/// Layers' forms in files of points.
pub fn choices(known: &Known) -> Result<Vec<(usize, Choice)>, Box<dyn Error>> {
    let mut all = vec![];
    for path in &known.files {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let choice = choice(line).map_err(|e| format!("{name}, line {}: {e}", number + 1))?;
            all.push(choice);
        }
    }
    Ok(all)
}

fn choice(line: &str) -> Result<(usize, Choice), String> {
    let (layer, form) =
        line.trim().split_once(char::is_whitespace).ok_or("a layer and a form are expected")?;
    let layer = layer.parse().map_err(|e| format!("`{layer}`: {e}"))?;
    Ok((layer, form.replace(',', " ").parse()?))
}

fn times(file: &Path) -> Result<Vec<Peer>, Box<dyn Error>> {
    let failed = |e: csv::Error| format!("{}: {e}", file.display());
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(file).map_err(failed)?;
    Ok(reader.deserialize().collect::<Result<_, _>>().map_err(failed)?)
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut layers: Vec<usize> = rows.iter().map(|row| row.layer).collect();
    layers.sort_unstable();
    layers.dedup();
    let at = |row: &Row| layers.iter().position(|layer| *layer == row.layer).unwrap_or_default();
    // In the order of the schedules, others after them.
    let schedules = SCHEDULES.iter().map(|s| s.name).chain(["no schedule"]);
    let mut names: Vec<&str> = schedules.filter(|name| rows.iter().any(|row| row.series == *name)).collect();
    for row in &rows {
        if !names.contains(&&*row.series) {
            names.push(&row.series);
        }
    }
    let mut series: Vec<Series> = names
        .iter()
        .enumerate()
        .map(|(colour, name)| {
            let own = rows.iter().filter(|row| row.series == *name).map(|row| (at(row), row.gflops));
            let points = chart::bars(colour, names.len(), own);
            Series { name: name.to_string(), colour, shape: Shape::Boxes, points }
        })
        .collect();
    let peak = rows.first().map_or(0.0, |row| row.peak_gflops);
    let points = vec![(-0.5, peak), (layers.len() as f64 - 0.5, peak)];
    series.push(Series { name: "multiply-adds alone".into(), colour: 6, shape: Shape::Dashed, points });
    let columns = || Axis::names("layer", layers.iter().map(ToString::to_string).collect());
    let speeds = rows.iter().map(|row| row.gflops).chain([peak]);
    let throughput = Panel {
        title: format!("Throughput on {}", sheet.device),
        x: columns(),
        y: Axis::linear("GFLOP/s", speeds),
        series,
        notes: vec![],
    };
    let megabytes = |bytes: usize| bytes as f64 / 1e6;
    // Of each layer, the fastest whose memory is known.
    let fastest: Vec<&Row> = layers
        .iter()
        .filter_map(|layer| {
            let own = rows.iter().filter(|row| row.layer == *layer && row.bytes.is_some());
            own.max_by(|a, b| a.gflops.total_cmp(&b.gflops))
        })
        .collect();
    type Bytes = fn(&Row) -> usize;
    let kinds: [(&str, Bytes); 3] = [
        ("the fastest form", |row| row.bytes.unwrap_or_default()),
        ("input, weights and output", |row| row.minimum_bytes),
        ("with im2col's matrix", |row| row.im2col_bytes),
    ];
    let memory = kinds.iter().enumerate().map(|(group, (name, bytes))| {
        let own = fastest.iter().map(|row| (at(row), megabytes(bytes(row))));
        let points = chart::bars(group, kinds.len(), own);
        Series { name: name.to_string(), colour: [0, 6, 5][group], shape: Shape::Boxes, points }
    });
    let memory = Panel {
        title: "Device memory".into(),
        x: columns(),
        y: Axis::linear("MB", fastest.iter().flat_map(|row| kinds.map(|(_, bytes)| megabytes(bytes(row))))),
        series: memory.collect(),
        notes: vec![],
    };
    Ok(Picture::Svg(chart::draw(&[throughput, memory])?))
}
