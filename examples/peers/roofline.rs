//! How many operations a second there are for how many a byte, below what a device does at most (Williams, Waterman and
//! Patterson 2009; Boda-RTC, figures 3, 7 and 8): as a table for other programs, and as a picture.

use crate::chart::{self, Axis, Panel, Series, Shape};
use crate::row::{Own, Row};
use serde::Serialize;
use std::error::Error;
use std::path::Path;

/// What a device does at most.
pub struct Roof {
    pub device: String,
    /// By multiply-adds in registers.
    pub gflops: f64,
    /// Billions of bytes in a second, read and written by a copy.
    pub gigabytes: f64,
}

/// A case on a device: a line of the file.
#[derive(Serialize)]
struct Line<'a> {
    family: &'a str,
    case: &'a str,
    device: &'a str,
    schedule: &'a str,
    form: &'a str,
    flops: f64,
    /// Of the arrays, each counted once.
    bytes: usize,
    /// Operations a byte.
    intensity: f64,
    us: f64,
    gflops: f64,
    /// What the device does at most at this intensity.
    roof_gflops: f64,
    peer: &'a str,
    peer_us: Option<f64>,
    peer_gflops: Option<f64>,
    ratio: Option<f64>,
}

impl Roof {
    fn at(&self, intensity: f64) -> f64 {
        self.gflops.min(intensity * self.gigabytes)
    }
}

/// The name of a form's schedule.
fn schedule(own: &Own) -> &str {
    if own.form == "as written" { &own.form } else { own.form.split(' ').next().unwrap_or(&own.form) }
}

/// Billions of operations in a second.
fn gflops(row: &Row, us: f64) -> f64 {
    row.flops / us / 1e3
}

fn intensity(row: &Row) -> f64 {
    row.flops / row.bytes as f64
}

/// Writes a line for each case and device.
pub fn write(path: &Path, rows: &[Row], roofs: &[Roof]) -> Result<(), Box<dyn Error>> {
    let mut writer = csv::Writer::from_path(path).map_err(|e| format!("{}: {e}", path.display()))?;
    for row in rows {
        let peer = row.peers.first();
        for own in &row.own {
            let roof =
                roofs.iter().find(|roof| roof.device == own.device).ok_or("a device without limits")?;
            writer.serialize(Line {
                family: &row.family,
                case: &row.case,
                device: &own.device,
                schedule: schedule(own),
                form: &own.form,
                flops: row.flops,
                bytes: row.bytes,
                intensity: intensity(row),
                us: own.us,
                gflops: gflops(row, own.us),
                roof_gflops: roof.at(intensity(row)),
                peer: peer.map_or("", |peer| &peer.name),
                peer_us: peer.map(|peer| peer.us),
                peer_gflops: peer.map(|peer| gflops(row, peer.us)),
                ratio: own.ratio,
            })?;
        }
    }
    Ok(writer.flush()?)
}

/// A picture for each device, below each other, as SVG.
pub fn draw(rows: &[Row], roofs: &[Roof]) -> Result<String, Box<dyn Error>> {
    // What only moves numbers has no operations.
    let rows: Vec<&Row> = rows.iter().filter(|row| row.flops > 0.0).collect();
    let panels: Vec<Panel> = roofs.iter().filter_map(|roof| panel(&rows, roof)).collect();
    match panels.is_empty() {
        false => chart::draw(&panels),
        true => Err("there is nothing to draw: no case with operations was measured".into()),
    }
}

fn panel(rows: &[&Row], roof: &Roof) -> Option<Panel> {
    let own = |row: &&Row| row.own.iter().find(|own| own.device == roof.device).cloned();
    let all: Vec<(&Row, Own)> = rows.iter().filter_map(|row| Some((*row, own(row)?))).collect();
    let mut series: Vec<Series> = vec![];
    let mut add = |name: &str, at: (f64, f64)| match series.iter_mut().find(|one| one.name == name) {
        Some(one) => one.points.push(at),
        None => series.push(Series {
            name: name.into(),
            colour: series.len(),
            shape: Shape::Dots,
            points: vec![at],
        }),
    };
    for (row, own) in &all {
        add(schedule(own), (intensity(row), gflops(row, own.us)));
    }
    let peers: Vec<(f64, f64)> = all
        .iter()
        .filter_map(|(row, _)| Some((intensity(row), gflops(row, row.peers.first()?.us))))
        .collect();
    let points = || series.iter().flat_map(|one| &one.points).chain(&peers).copied();
    let (least, most) = points()
        .map(|(x, _)| x)
        .fold((f64::INFINITY, 0.0f64), |(least, most), x| (least.min(x), most.max(x)));
    if least > most {
        return None;
    }
    let knee = roof.gflops / roof.gigabytes;
    let corners: Vec<(f64, f64)> = [least, knee.clamp(least, most), most].map(|x| (x, roof.at(x))).to_vec();
    let x = Axis::logarithmic("operations a byte", [least, most].into_iter());
    let y = Axis::logarithmic("GFLOP/s", points().chain(corners.clone()).map(|(_, y)| y));
    let grey = 6;
    // Own colours come after the peers', which are drawn below.
    if !peers.is_empty() {
        series.insert(
            0,
            Series { name: "fastest peer".into(), colour: grey, shape: Shape::Dots, points: peers },
        );
    }
    let name = format!("{:.0} GFLOP/s, {:.0} GB/s", roof.gflops, roof.gigabytes);
    series.push(Series { name, colour: grey, shape: Shape::Line, points: corners });
    let title = format!("{} cases on {}", all.len(), roof.device);
    Some(Panel { title, x, y, series, notes: vec![] })
}
