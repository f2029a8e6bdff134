//! This library beside others, for many families of programs, in turn in one run: onnxruntime, PyTorch and NumPy,
//! whichever are installed, by `scripts/peers.py`.
//!
//! `cargo run --release --example peers` (see `--help` after `--` for what it can be asked)

mod cases;
/// Not everything that can be drawn is drawn here.
#[allow(dead_code)]
#[path = "../figures/chart.rs"]
mod chart;
mod data;
mod flags;
mod forms;
mod machine;
mod measure;
#[path = "../networks/modules.rs"]
mod modules;
mod operation;
#[path = "../vgg16/peak.rs"]
mod peak;
mod peer;
mod plot;
/// That example tries points in its own way.
#[allow(dead_code)]
#[path = "../layers/points.rs"]
mod points;
mod programs;
mod report;
mod resume;
mod roofline;
mod row;
mod schedules;
#[cfg(test)]
mod tests;

use clap::Parser;
use flags::Flags;
use indicatif::{ProgressBar, ProgressStyle};
use lift::Kind;
use machine::Machine;
use peer::Peers;
use resume::Earlier;
use roofline::Roof;
use row::Row;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    lift::tune::worker();
    match run(&Flags::parse()) {
        Ok(rows) if rows.iter().all(|row| row.errors.is_empty()) => ExitCode::SUCCESS,
        Ok(rows) => {
            for row in rows.iter().filter(|row| !row.errors.is_empty()) {
                eprintln!("peers: {} {}: {}", row.family, row.case, row.errors.join("; "));
            }
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What was measured; it has been printed.
fn run(flags: &Flags) -> Result<Vec<Row>, Box<dyn Error>> {
    // What is kept there is forgotten in the end.
    let folder = if flags.fresh { Some(tempfile::tempdir()?) } else { None };
    let devices = flags.devices(folder.as_ref().map(|folder| folder.path().join("cache")))?;
    let gpu = devices.iter().any(|device| device.kind() == Kind::Gpu);
    let cases = flags.cases(gpu)?;
    if flags.list {
        cases.iter().for_each(|case| println!("{}: {}", case.family, case.name));
        return Ok(vec![]);
    }
    let bar = progress(cases.len());
    if let Some(time) = flags.schedules {
        for device in &devices {
            let table = schedules::compare(&cases, device, time, flags.json, &bar)?;
            bar.suspend(|| table.iter().for_each(|table| println!("{device}\n{table}")));
        }
        bar.finish_and_clear();
        return Ok(vec![]);
    }
    let mut peers = match Peers::start(flags, if gpu { Kind::Gpu } else { Kind::Cpu }) {
        Ok(peers) => Some(peers),
        Err(error) => {
            bar.suspend(|| {
                eprintln!(
                    "peers: only this library's numbers, since the script of the others does not run: {error}"
                )
            });
            None
        }
    };
    if let Some(wanted) = flags.forms {
        let peers = peers.as_mut().ok_or("`--forms` compares with PyTorch, which the script runs")?;
        return forms::check(&cases, &devices, wanted, flags, peers, &bar);
    }
    let told = peers.iter().flat_map(Peers::lines);
    told.for_each(|line| bar.suspend(|| eprintln!("peers: {line}")));
    bar.set_message("what the device can do at most");
    let machines = devices.into_iter().map(|device| Machine::new(&device).map(|machine| (device, machine)));
    let machines = machines.collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = machines.iter().map(|(device, _)| device.name()).collect();
    let mut earlier = flags.resume.as_deref().map(Earlier::open).transpose()?;
    let mut rows = vec![];
    for case in &cases {
        let say = |what: String| bar.set_message(what);
        let known = earlier.as_ref().and_then(|earlier| earlier.row(case, &names));
        let row = match known {
            Some(row) => row.clone(),
            None => {
                let row =
                    measure::measure(case, &machines, &mut peers, flags, &say).unwrap_or_else(|error| Row {
                        errors: vec![error.to_string()],
                        ..Row::new(case, 0.0, 0)
                    });
                earlier.as_mut().map(|earlier| earlier.add(&row)).transpose()?;
                row
            }
        };
        if flags.json {
            let line = serde_json::to_string(&row)?;
            bar.suspend(|| println!("{line}"));
        }
        rows.push(row);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if !flags.json {
        for (device, machine) in &machines {
            let (peak, copies) = (machine.peak.best, machine.bandwidth / 1e9);
            let launch = machine.launch * 1e6;
            println!(
                "{device}: {peak:.0} GFLOP/s by FMAs, {copies:.0} GB/s by copies, {launch:.1} µs for one element"
            );
        }
        println!("{}\n", report::cases(&rows));
        println!("ratio: how many times as long the fastest peer takes; above 1 this library is faster");
        println!("call: the same with the copies to and from the device, and the check of constants");
        println!(
            "of peak: the least time by FMAs or copies, whichever takes longer, by that of the shortest run"
        );
        println!("apart: the largest difference from a peer's result\n");
        println!("{}\n", report::families(&rows));
        println!("{}", report::worst_cases(&rows));
    }
    if let Some(path) = &flags.plot {
        std::fs::write(
            path,
            plot::draw(&rows, &format!("This library and others on {}", names.join(", ")))?,
        )?;
    }
    let roofs: Vec<Roof> = machines
        .iter()
        .map(|(device, machine)| Roof {
            device: device.name(),
            gflops: machine.peak.best,
            gigabytes: machine.bandwidth / 1e9,
        })
        .collect();
    if let Some(path) = &flags.csv {
        roofline::write(path, &rows, &roofs)?;
    }
    if let Some(path) = &flags.roofline {
        std::fs::write(path, roofline::draw(&rows, &roofs)?)?;
    }
    Ok(rows)
}

/// A bar on stderr; nothing where that is no terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
