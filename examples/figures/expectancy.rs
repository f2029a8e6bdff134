//! What so many random candidates can be expected to find: CC'22, figure 6.

use crate::chart::{self, Axis, Panel, Series, Shape};
use crate::figure::{Figure, Picture};
use crate::flags::Mapped;
use crate::layers::Layer;
use crate::mapped::{Fusion, Space};
use crate::session::{Session, gflops};
use crate::sheet::Sheet;
use lift::tune::{Outcome, Tuning};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::Duration;

pub static FIGURE: Figure = Figure {
    name: "expectancy",
    title: "Throughput to be expected",
    source: "CC'22, figure 6",
    text: "The best throughput that so many of the solver's candidates of the schedule `mapped` have on average, where \
           sequential maps are always fused (the heuristic constraint), where the solver decides, and where they never are. The average is over all \
           ways to take so many of those that were measured, without putting any back.",
    of_device: true,
    draw,
};

#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    pub fusion: String,
    /// The first of the sample is 1.
    pub candidate: usize,
    pub form: String,
    /// 0 where it took too long, or was refused.
    pub gflops: f64,
    /// The best of so many as this candidate's number.
    pub expected_gflops: f64,
}

const STRATEGIES: [(&str, Fusion); 3] =
    [("always fused", Fusion::Always), ("fused or not", Fusion::Free), ("never fused", Fusion::Never)];

/// The paper's layer and number of candidates, each strategy as long.
pub fn measure(session: &Session, form: &Mapped) -> Result<Vec<Row>, Box<dyn Error>> {
    let most = session.effort.candidates.unwrap_or(250);
    let mut rows = vec![];
    for layer in session.layers(&[19]) {
        let tuning = session.tuning(&layer)?;
        for (name, fusion) in STRATEGIES {
            let sample = sample(session, form, most, &layer, &tuning, (name, fusion))?;
            let expected = expected_best(sample.iter().map(|(_, gflops)| *gflops).collect());
            for (k, ((form, gflops), expected_gflops)) in sample.into_iter().zip(expected).enumerate() {
                let (fusion, candidate) = (name.into(), k + 1);
                rows.push(Row { layer: layer.number, fusion, candidate, form, gflops, expected_gflops });
            }
        }
    }
    rows.iter().try_for_each(|row| session.tell(row))?;
    Ok(rows)
}

/// Candidates' forms and throughputs.
fn sample(
    session: &Session,
    form: &Mapped,
    most: usize,
    layer: &Layer,
    tuning: &Tuning,
    (name, fusion): (&str, Fusion),
) -> Result<Vec<(String, f64)>, Box<dyn Error>> {
    let options: Vec<&str> = form.options.iter().map(String::as_str).collect();
    let space = Space::new(layer, &options, fusion)?;
    let limits = session.limits(session.time(Duration::from_secs(60)));
    let mut trials = tuning.trials(&limits)?;
    let mut sample = vec![];
    for draw in space.solved(session.effort.seed).take(most) {
        session.say(format!("layer {}, {name}: {} of {most}", layer.number, sample.len()));
        let Some(trial) = trials.program(&draw.program, &draw.sizes)? else { break };
        let found = match trial.outcome {
            Outcome::Measured { time, .. } => gflops(layer, time),
            Outcome::Wrong(why) => return Err(format!("layer {}: {}: {why}", layer.number, draw.form).into()),
            Outcome::Refused(_) | Outcome::Late | Outcome::Crashed(_) => 0.0,
        };
        sample.push((draw.form, found));
    }
    Ok(sample)
}

/// The mean of the greatest of n values drawn without putting any back, for each n from 1 on.
///
/// The greatest of the n is the i-th of m in ascending order in C(i - 1, n - 1) of C(m, n) cases; each
/// weight follows from the one above it.
fn expected_best(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    let m = values.len();
    let expected = |n: usize| {
        let mut weight = n as f64 / m as f64;
        let mut sum = 0.0;
        for i in (n..=m).rev() {
            sum += weight * values[i - 1];
            weight *= (i - n) as f64 / (i - 1).max(1) as f64;
        }
        sum
    };
    (1..=m).map(expected).collect()
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut layers: Vec<usize> = rows.iter().map(|row| row.layer).collect();
    layers.dedup();
    let panel = |layer: &usize| {
        let own = || rows.iter().filter(|row| row.layer == *layer);
        let series = STRATEGIES.iter().enumerate().map(|(colour, (name, _))| {
            let points = own().filter(|row| row.fusion == *name);
            let points = points.map(|row| (row.candidate as f64, row.expected_gflops)).collect();
            Series { name: name.to_string(), colour, shape: Shape::Line, points }
        });
        Panel {
            title: format!("mapped, layer {layer} on {}", sheet.device),
            x: Axis::linear("candidates", own().map(|row| row.candidate as f64)),
            y: Axis::linear("GFLOP/s", own().map(|row| row.expected_gflops)),
            series: series.collect(),
            notes: vec![],
        }
    };
    Ok(Picture::Svg(chart::draw(&layers.iter().map(panel).collect::<Vec<_>>())?))
}

#[cfg(test)]
mod tests {
    use super::expected_best;

    /// Against all ways to draw, one by one.
    #[test]
    fn the_mean_is_over_all_ways_to_draw() {
        let values = [3.0, 0.0, 7.0, 7.0, 1.5];
        let expected = expected_best(values.to_vec());
        assert_eq!(expected.len(), values.len());
        for (n, expected) in (1..).zip(expected) {
            let chosen = (0..1u32 << values.len()).filter(|set| set.count_ones() == n);
            let best = |set: u32| {
                let own = (0..values.len()).filter(|k| set >> k & 1 == 1).map(|k| values[k]);
                own.fold(0.0, f64::max)
            };
            let bests: Vec<f64> = chosen.map(best).collect();
            let mean = bests.iter().sum::<f64>() / bests.len() as f64;
            assert!((expected - mean).abs() < 1e-12, "{n}: {expected} is not {mean}");
        }
        assert!(expected_best(vec![]).is_empty());
    }
}
