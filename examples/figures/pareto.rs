//! Time and memory of all that a search measures: GPGPU'20, figure 6.

use crate::chart::{self, Axis, Panel, Series, Shape};
use crate::figure::{Figure, Picture};
use crate::session::{Session, gflops, ms, schedule};
use crate::sheet::Sheet;
use lift::tune::{Found, Front, Outcome};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::Duration;

pub static FIGURE: Figure = Figure {
    name: "pareto",
    title: "Time against memory",
    source: "GPGPU'20, figure 6",
    text: "Everything that one search of a layer measured and found right; no other form is better in both than those on \
           the line. A program that runs under a memory budget takes the leftmost point below it.",
    of_device: true,
    draw,
};

#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    pub schedule: String,
    pub form: String,
    pub ms: f64,
    pub gflops: f64,
    pub bytes: usize,
    /// No other is better in both.
    pub front: bool,
    pub im2col_bytes: usize,
}

/// The paper's layer, a minute of it.
pub fn measure(session: &Session) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = vec![];
    for layer in session.layers(&[2]) {
        let mut all: Vec<Found> = vec![];
        let limits = session.limits(session.time(Duration::from_secs(60)));
        session.tuning(&layer)?.search(&limits, |progress| {
            session.say(format!("layer {}: {progress}", layer.number));
            if let Outcome::Measured { time, bytes } = *progress.outcome {
                all.push(Found { choice: progress.choice.clone(), time, bytes });
            }
        })?;
        let front: Front = all.iter().cloned().collect();
        let of_layer = all.iter().map(|found| Row {
            layer: layer.number,
            schedule: schedule(&found.choice),
            form: found.choice.to_string(),
            ms: ms(found.time),
            gflops: gflops(&layer, found.time),
            bytes: found.bytes,
            // Of several with equal figures the front has one.
            front: front.iter().any(|best| (best.time, best.bytes) == (found.time, found.bytes)),
            im2col_bytes: layer.im2col_bytes(),
        });
        rows.extend(of_layer);
        if session.stopped() {
            break;
        }
    }
    rows.iter().try_for_each(|row| session.tell(row))?;
    Ok(rows)
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut layers: Vec<usize> = rows.iter().map(|row| row.layer).collect();
    layers.dedup();
    let panel = |layer: &usize| panel(*layer, &rows, &sheet.device);
    Ok(Picture::Svg(chart::draw(&layers.iter().map(panel).collect::<Vec<_>>())?))
}

fn panel(layer: usize, rows: &[Row], device: &str) -> Panel {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.layer == layer).collect();
    let at = |row: &Row| (row.ms, row.bytes as f64 / 1e6);
    let names = lift::schedules::SCHEDULES.iter().map(|s| s.name).chain(["no schedule"]);
    let schedules = names.enumerate().filter_map(|(colour, name)| {
        let points: Vec<_> = rows.iter().filter(|row| row.schedule == name).map(|row| at(row)).collect();
        let series = Series { name: name.into(), colour, shape: Shape::Dots, points };
        (!series.points.is_empty()).then_some(series)
    });
    let mut series: Vec<Series> = schedules.collect();
    let mut front: Vec<_> = rows.iter().filter(|row| row.front).map(|row| at(row)).collect();
    front.sort_by(|a, b| a.0.total_cmp(&b.0));
    let x = Axis::logarithmic("ms", rows.iter().map(|row| row.ms));
    let slowest = rows.iter().map(|row| row.ms).fold(0.0, f64::max);
    // The front goes on to the right: whoever has more time needs no more memory.
    let line = chart::steps(&front).into_iter().chain(front.last().map(|(_, least)| (slowest, *least)));
    series.push(Series { name: "the front".into(), colour: 6, shape: Shape::Line, points: line.collect() });
    let im2col = rows.first().map_or(0.0, |row| row.im2col_bytes as f64 / 1e6);
    let fastest = rows.iter().map(|row| row.ms).fold(f64::INFINITY, f64::min);
    let points = vec![(fastest, im2col), (slowest, im2col)];
    series.push(Series { name: "im2col's memory".into(), colour: 7, shape: Shape::Dashed, points });
    let y = Axis::logarithmic("MB", rows.iter().map(|row| at(row).1).chain([im2col]));
    Panel { title: format!("Layer {layer} on {device}"), x, y, series, notes: vec![] }
}
