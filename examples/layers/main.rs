//! Convolution layers of all kinds at full size, by every schedule at many points: are they right?
//!
//! `cargo run --release --example layers` (see `--help` after `--` for what it can be asked)

mod check;
mod convolution;
mod flags;
mod layers;
/// Another example tries points, too, in its own way.
#[allow(dead_code)]
mod points;
mod programs;
mod report;
/// Of that example the layers' sizes; it has a program of its own, and more to say of them.
#[allow(dead_code)]
#[path = "../vgg16/layers.rs"]
mod vgg16;

use check::{Finding, Trial};
use clap::Parser;
use flags::Flags;
use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    match run(&Flags::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("layers: not everything was tried and right");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("layers: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Is everything right?
fn run(flags: &Flags) -> Result<bool, Box<dyn Error>> {
    let (layers, schedules) = (flags.layers()?, flags.schedules()?);
    let device = flags.device()?;
    let seed = flags.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    let bar = progress(layers.len() * schedules.len());
    let (mut findings, mut good): (Vec<Finding>, bool) = (vec![], true);
    for layer in &layers {
        bar.set_message(layer.name);
        let trial = Trial::new(layer, seed)?;
        for schedule in &schedules {
            bar.set_message(format!("{} by {}", layer.name, schedule.name));
            let finding = trial.by(schedule, &device, flags.points, seed, |k, all, point| {
                bar.set_message(format!("{} at {} of {all}: {}", layer.name, k + 1, point.name));
            });
            bar.suspend(|| {
                finding.wrong.iter().for_each(|wrong| eprintln!("{} by {wrong}", layer.name));
            });
            if flags.json {
                let line = serde_json::to_string(&finding)?;
                bar.suspend(|| println!("{line}"));
            }
            good &= finding.good(layer, flags.points);
            findings.push(finding);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if !flags.json {
        println!("Convolution layers on {device}; seed {seed}");
        println!("{}", report::table(&findings));
        println!(
            "error: of an element, by its own size or the root of the elements' mean square, whichever is more"
        );
        println!("ms: time of the fastest point's kernels in their first run");
    }
    Ok(good)
}

/// A bar on stderr; nothing where that is no terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
