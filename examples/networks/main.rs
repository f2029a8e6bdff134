//! Well-known networks, put together in Rust and compiled as a whole: what is computed together, in which form, how long it
//! takes, and with `--check` whether every layer computes what it computes in PyTorch, by `scripts/networks.py`.
//!
//! `cargo run --release --example networks` (see `--help` after `--` for what it can be asked)

mod alexnet;
mod builder;
mod check;
mod flags;
mod googlenet;
mod mobilenet;
mod modules;
mod nin;
mod programs;
#[path = "../network/report.rs"]
mod report;
#[cfg(test)]
mod tests;
mod vgg16;
mod window;
mod zoo;

use builder::Builder;
use check::{Check, Shared};
use clap::Parser;
use flags::Flags;
use lift::graph::{Graph, Network, Value};
use lift::ndarray::Array4;
use lift::{Argument, Device, Output};
use report::{Report, Run};
use serde::Serialize;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use zoo::Zoo;

fn main() -> ExitCode {
    lift::tune::worker();
    let flags = Flags::parse();
    match flags.device().map_err(Box::from).and_then(|device| all(&flags, &device)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("networks: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What is told of a network; a line of `--json`.
#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    report: Report,
    batch: usize,
    parameters: usize,
    check: Option<Check>,
}

/// Are they all as they are in PyTorch, as far as that was asked?
fn all(flags: &Flags, device: &Device) -> Result<bool, Box<dyn Error>> {
    let mut right = true;
    for zoo in flags.networks() {
        let told = one(*zoo, flags, device).map_err(|error| format!("{zoo}: {error}"))?;
        if flags.json {
            println!("{}", serde_json::to_string(&told)?);
        } else {
            println!("{}\n{} parameters\n", told.report, told.parameters);
        }
        let Some(check) = &told.check else { continue };
        if !flags.json {
            println!("{check}\n");
        }
        let wrong = check.wrong();
        if !wrong.is_empty() {
            eprintln!("networks: {zoo}: further from PyTorch than {}: {}", check::ALLOWED, wrong.join(", "));
            right = false;
        }
    }
    Ok(right)
}

fn one(zoo: Zoo, flags: &Flags, device: &Device) -> Result<Told, Box<dyn Error>> {
    let shared = if flags.check { Some(Shared::new()?) } else { None };
    let start = Instant::now();
    let (net, result) = zoo.built(shared.as_ref().map(Shared::weights))?;
    let built = start.elapsed();
    let pictures = zoo.pictures(flags.batch());
    // Before anything that takes long.
    let theirs = shared.as_ref().map(|shared| shared.run(zoo, &pictures, flags)).transpose()?;
    let start = Instant::now();
    let network = compiled(&net, &[("prob".to_string(), result)], zoo, flags, device)?;
    let compiling = start.elapsed();
    let start = Instant::now();
    let whole = run(&network, &pictures)?;
    let first = start.elapsed();
    let inputs = [Argument::from(&pictures)];
    let there = [device.upload(&pictures)?.into_any()];
    let runs =
        (0..flags.repeat).map(|_| Run::of(&network, &inputs, &there)).collect::<Result<Vec<Run>, _>>()?;
    let report = Report::new(Path::new(zoo.name()), device, &network, [built, compiling, first], &runs);
    let check = match theirs {
        None => None,
        Some(theirs) => {
            let layers = compiled(&net, &net.layers, zoo, flags, device)?;
            let names: Vec<String> = net.layers.iter().map(|(name, _)| name.clone()).collect();
            let results = run(&layers, &pictures)?;
            let whole = whole.into_iter().next().ok_or("the network has no result")?;
            Some(theirs.compare(&names, net.parameters, results, whole)?)
        }
    };
    Ok(Told { report, batch: flags.batch(), parameters: net.parameters, check })
}

/// The network, asked for these results.
fn compiled(
    net: &Builder,
    results: &[(String, Value)],
    zoo: Zoo,
    flags: &Flags,
    device: &Device,
) -> Result<Network, lift::Error> {
    let mut graph: Graph = net.graph.clone();
    for (name, value) in results {
        graph.output(name, *value)?;
    }
    let sizes = zoo.sizes(flags.batch());
    match flags.as_written {
        true => graph.compile_as_written(device, &sizes),
        false => graph.compile(device, &sizes),
    }
}

fn run(network: &Network, pictures: &Array4<f32>) -> Result<Vec<Output>, lift::Error> {
    network.run(&[Argument::from(pictures)])
}
