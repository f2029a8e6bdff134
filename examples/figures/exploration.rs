//! The best found over time, and where the time goes: CC'22, figure 5.

use crate::chart::{self, Axis, Panel, Series, Shape};
use crate::figure::{Figure, Picture};
use crate::flags::Mapped;
use crate::layers::Layer;
use crate::mapped::{Drawn, Fusion, Space};
use crate::session::{Session, gflops, ms};
use crate::sheet::Sheet;
use lift::schedules::MAPPED;
use lift::tune::{Choice, Found, Outcome, Search, Trial, Trials, Tuning};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::{Duration, Instant};

pub static FIGURE: Figure = Figure {
    name: "exploration",
    title: "Efficiency of exploration",
    source: "CC'22, figure 5",
    text: "The best throughput of the schedule `mapped` that each way of placing its maps has found after so much time: \
           what the constraint solver draws, maps placed by hand, maps placed at random, tried where the constraints happen to \
           hold (the parameters are the solver's each time). Beside these, the paper's ways, stands this library's search, \
           which orders the solver's candidates by its model and looks around the best. The curves' ends say how many \
           candidates were tried, and of how many drawn at random; below, what the time went into.",
    of_device: true,
    draw,
};

/// One candidate, and how things stand after it.
#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    pub way: String,
    /// Candidates so far, and all that was drawn for them.
    pub candidate: usize,
    pub drawn: usize,
    pub elapsed_s: f64,
    /// Of this candidate.
    pub solving_s: f64,
    pub generating_s: f64,
    pub building_s: f64,
    /// Checked and timed, or waited for until it was given up.
    pub running_s: f64,
    pub outcome: String,
    pub form: String,
    pub gflops: f64,
    pub best_gflops: f64,
}

const SOLVER: &str = "solver";
const BY_HAND: &str = "by hand";
const RANDOM: &str = "random";
/// Not the paper's.
const SEARCH: &str = "search";
/// By hand: rows, columns and channels over groups, and inside their tiles, over work-items.
const PLACES: [i64; 6] = [22, 21, 20, 12, 11, 10];
const WAYS: [&str; 4] = [SOLVER, BY_HAND, RANDOM, SEARCH];

/// The paper's layer, each way as long.
pub fn measure(session: &Session, form: &Mapped) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = vec![];
    for layer in session.layers(&[19]) {
        let tuning = session.tuning(&layer)?;
        for way in WAYS {
            explore(session, form, &layer, &tuning, way, &mut rows)?;
        }
    }
    Ok(rows)
}

/// Where a way's candidates come from.
enum Source<'a> {
    /// `None` where places were not valid.
    Drawn(Box<dyn Iterator<Item = Option<Drawn>> + 'a>),
    /// Told how each did.
    Searched(Box<Search>),
}

/// One of them.
enum Candidate {
    Drawn(Drawn),
    Searched(Choice),
}

impl<'a> Source<'a> {
    fn new(space: &'a Space, tuning: Tuning, way: &str, seed: u64) -> Source<'a> {
        match way {
            RANDOM => Source::Drawn(Box::new(space.unconstrained(seed))),
            // From nothing, as the others.
            SEARCH => {
                Source::Searched(Box::new(tuning.only(Some(MAPPED.name)).stored(None).candidates(seed)))
            }
            _ => Source::Drawn(Box::new(space.solved(seed).map(Some))),
        }
    }

    /// `None` when there are no more; what is drawn need not be a candidate.
    fn draw(&mut self) -> Option<Option<Candidate>> {
        match self {
            Source::Drawn(draws) => draws.next().map(|drawn| drawn.map(Candidate::Drawn)),
            Source::Searched(search) => {
                search.next_candidate().map(|choice| Some(Candidate::Searched(choice)))
            }
        }
    }

    fn learn(&mut self, candidate: &Candidate, outcome: &Outcome) {
        if let (Source::Searched(search), Candidate::Searched(choice)) = (self, candidate)
            && let Outcome::Measured { time, bytes } = *outcome
        {
            search.learn(&Found { choice: choice.clone(), time, bytes });
        }
    }
}

impl Candidate {
    fn trial(&self, trials: &mut Trials) -> Result<Option<Trial>, lift::Error> {
        match self {
            Candidate::Drawn(drawn) => trials.program(&drawn.program, &drawn.sizes),
            Candidate::Searched(choice) => trials.choice(choice),
        }
    }

    fn form(&self) -> String {
        match self {
            Candidate::Drawn(drawn) => drawn.form.clone(),
            Candidate::Searched(choice) => choice.to_string(),
        }
    }
}

fn explore(
    session: &Session,
    form: &Mapped,
    layer: &Layer,
    tuning: &Tuning,
    way: &str,
    rows: &mut Vec<Row>,
) -> Result<(), Box<dyn Error>> {
    let time = session.time(Duration::from_secs(60));
    let limits = session.limits(time);
    let most = limits.candidates;
    let mut trials = tuning.trials(&limits)?;
    let start = Instant::now();
    let (mut since, mut best) = (start, None);
    let options: Vec<&str> = form.options.iter().map(String::as_str).collect();
    let space = Space::new(layer, &options, Fusion::Free)?;
    let space = if way == BY_HAND { space.placed(&PLACES)? } else { space };
    let mut source = Source::new(&space, session.tuning(layer)?, way, session.effort.seed);
    let best_gflops = |best: Option<Duration>| best.map_or(0.0, |time| gflops(layer, time));
    let (mut candidates, mut drawn, mut unfinished) = (0, 0, Duration::ZERO);
    let row = |candidate, drawn, solving: Duration| Row {
        layer: layer.number,
        way: way.into(),
        candidate,
        drawn,
        elapsed_s: 0.0,
        solving_s: solving.as_secs_f64(),
        generating_s: 0.0,
        building_s: 0.0,
        running_s: 0.0,
        outcome: "the end".into(),
        form: String::new(),
        gflops: 0.0,
        best_gflops: 0.0,
    };
    while start.elapsed() < time && candidates < most && !session.stopped() {
        let Some(draw) = source.draw() else { break };
        drawn += 1;
        let Some(candidate) = draw else { continue };
        let solved = Instant::now();
        session.say(format!(
            "layer {}, {way}: {candidates} tried, best {:.1} GFLOP/s",
            layer.number,
            best_gflops(best)
        ));
        let Some(trial) = candidate.trial(&mut trials)? else {
            unfinished = solved.elapsed();
            break;
        };
        candidates += 1;
        let mut found = 0.0;
        let outcome = match &trial.outcome {
            Outcome::Measured { time, .. } => {
                found = gflops(layer, *time);
                best = Some(best.map_or(*time, |best| *time.min(&best)));
                format!("{:.3} ms", ms(*time))
            }
            Outcome::Wrong(why) => format!("wrong: {why}"),
            Outcome::Refused(why) => format!("refused: {why}"),
            Outcome::Late => "late".into(),
            Outcome::Crashed(why) => format!("crashed: {why}"),
        };
        let (generating, building) = (trial.stages.generating, trial.stages.building);
        rows.push(Row {
            elapsed_s: start.elapsed().as_secs_f64(),
            generating_s: generating.as_secs_f64(),
            building_s: building.as_secs_f64(),
            running_s: solved.elapsed().saturating_sub(generating + building).as_secs_f64(),
            outcome: outcome.lines().next().unwrap_or_default().into(),
            form: candidate.form(),
            gflops: found,
            best_gflops: best_gflops(best),
            ..row(candidates, drawn, solved - since)
        });
        rows.last().map_or(Ok(()), |row| session.tell(row))?;
        since = Instant::now();
        source.learn(&candidate, &trial.outcome);
    }
    // What was drawn after the last that was tried took time, too.
    rows.push(Row {
        elapsed_s: start.elapsed().as_secs_f64(),
        running_s: unfinished.as_secs_f64(),
        best_gflops: best_gflops(best),
        ..row(candidates, drawn, since.elapsed().saturating_sub(unfinished))
    });
    Ok(())
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut layers: Vec<usize> = rows.iter().map(|row| row.layer).collect();
    layers.dedup();
    let panels = layers.iter().flat_map(|layer| {
        let own: Vec<&Row> = rows.iter().filter(|row| row.layer == *layer).collect();
        [curves(*layer, &own, &sheet.device), stages(&own)]
    });
    Ok(Picture::Svg(chart::draw(&panels.collect::<Vec<_>>())?))
}

fn curves(layer: usize, rows: &[&Row], device: &str) -> Panel {
    let mut notes = vec![];
    let most = rows.iter().map(|row| row.best_gflops).fold(0.0, f64::max);
    let last = rows.iter().map(|row| row.elapsed_s).fold(0.0, f64::max);
    let mut series: Vec<Series> = WAYS
        .iter()
        .enumerate()
        .map(|(colour, way)| {
            let own = || rows.iter().filter(|row| row.way == *way);
            let points: Vec<_> = own().map(|row| (row.elapsed_s, row.best_gflops)).collect();
            let counts = own().next_back().map_or(String::new(), |row| {
                let drawn = if *way == RANDOM { format!(" of {}", row.drawn) } else { String::new() };
                format!("{}{drawn}", row.candidate)
            });
            notes.extend(points.last().map(|(x, y)| (x * 0.93, y + most * 0.06, counts)));
            let points = chart::steps(&[vec![(0.0, 0.0)], points].concat());
            Series { name: way.to_string(), colour, shape: Shape::Line, points }
        })
        .collect();
    let points = vec![(0.0, most), (last, most)];
    series.push(Series { name: "the best of all".into(), colour: 6, shape: Shape::Dashed, points });
    Panel {
        title: format!("mapped, layer {layer} on {device}"),
        x: Axis::linear("seconds", [last].into_iter()),
        y: Axis::linear("GFLOP/s", [most * 1.08].into_iter()),
        series,
        notes,
    }
}

fn stages(rows: &[&Row]) -> Panel {
    type Seconds = fn(&Row) -> f64;
    let stages: [(&str, Seconds); 4] = [
        ("solving or drawing", |row| row.solving_s),
        ("generating", |row| row.generating_s),
        ("building", |row| row.building_s),
        ("checking and timing", |row| row.running_s),
    ];
    let sum =
        |way: &str, of: Seconds| rows.iter().filter(|row| row.way == way).map(|row| of(row)).sum::<f64>();
    let mut lefts = WAYS.map(|_| 0.0);
    let series = stages.iter().enumerate().map(|(colour, (name, of))| {
        let boxes = WAYS.iter().enumerate().flat_map(|(k, way)| {
            let (left, y) = (lefts[k], k as f64);
            lefts[k] += sum(way, *of);
            [(left, y - 0.3), (lefts[k], y + 0.3)]
        });
        Series { name: name.to_string(), colour: colour + 2, shape: Shape::Boxes, points: boxes.collect() }
    });
    let series: Vec<Series> = series.collect();
    Panel {
        title: "What the time went into".into(),
        x: Axis::linear("seconds", lefts.into_iter()),
        y: Axis::names("", WAYS.map(String::from).to_vec()),
        series,
        notes: vec![],
    }
}
