//! A network in ONNX's format, compiled as a whole and run: what is computed together, in which form, and how long it takes.
//!
//! `cargo run --release --example network -- MODEL.onnx` (see `--help` for what it can be asked)

mod flags;
mod input;
mod report;

use clap::Parser;
use flags::Flags;
use indicatif::{ProgressBar, ProgressStyle};
use lift::graph::{Graph, Network, Searched};
use lift::ndarray::ArrayD;
use lift::tune::Limits;
use lift::{Argument, Output};
use lift_onnx::Model;
use report::{Report, Run};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// Compiling makes many small allocations in all threads: with this allocator (preloaded) ResNet-50's first result came after 14.8 to 16.0 s
/// on two cores, without it after 16.8 to 17.5.
#[cfg(target_arch = "x86_64")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The classes that are shown.
const BEST: usize = 5;

fn main() -> ExitCode {
    lift::tune::worker();
    match run(&Flags::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("network: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(flags: &Flags) -> Result<(), Box<dyn Error>> {
    // Before the device: its driver may handle Ctrl-C, too.
    let limits = flags.tune.map(limits).transpose()?;
    let start = Instant::now();
    let graph = Model::read(&flags.model)?.graph(&flags.sizes())?;
    let read = start.elapsed();
    let device = flags.device()?;
    if let Some(limits) = &limits {
        search(&graph, &device, limits)?;
    }
    let start = Instant::now();
    let network = match flags.as_written {
        true => graph.compile_as_written(&device, &[])?,
        false => graph.compile_for(&device, &[], flags.goal.of_tuning())?,
    };
    let compiled = start.elapsed();
    let inputs = inputs(&graph, &network, flags)?;
    let start = Instant::now();
    let outputs = network.run(&inputs)?;
    let first = start.elapsed();
    let there = inputs.iter().map(|input| device.upload_any(input)).collect::<Result<Vec<_>, _>>()?;
    let run = |_| Run::of(&network, &inputs, &there);
    let runs = (0..flags.repeat).map(run).collect::<Result<Vec<Run>, _>>()?;
    let report = Report::new(&flags.model, &device, &network, [read, compiled, first], &runs);
    if flags.json {
        println!("{}", serde_json::to_string(&report)?);
    } else {
        println!("{report}");
    }
    if flags.explain {
        println!("{}", lift::explain(network.plan(), None));
    }
    finish(flags, outputs)
}

/// Ctrl-C ends the search; a second one the program.
fn limits(time: Duration) -> std::io::Result<Limits> {
    let stop = Arc::new(AtomicBool::new(false));
    flag::register_conditional_shutdown(SIGINT, 130, stop.clone())?;
    flag::register(SIGINT, stop.clone())?;
    Ok(Limits { time, stop, ..Limits::default() })
}

fn search(graph: &Graph, device: &lift::Device, limits: &Limits) -> Result<(), lift::Error> {
    let style = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    let found = graph.search(device, &[], limits, |at| {
        let (number, count, share) = (at.number, at.count, at.share * 100.0);
        bar.set_message(format!(
            "{number} of {count}, {share:.0} % of the time: {}: {}",
            at.nodes.join(" "),
            at.progress
        ));
    })?;
    bar.finish_and_clear();
    for Searched { nodes, gain, .. } in found {
        match gain {
            Some(gain) if gain >= 1.0 => {
                eprintln!("{}: {gain:.2} times as fast in the network as before", nodes.join(" "))
            }
            Some(gain) => {
                let times = 1.0 / gain;
                eprintln!(
                    "{}: the form before stays, what was found takes {times:.2} times as long in the network",
                    nodes.join(" ")
                );
            }
            None => {}
        }
    }
    Ok(())
}

/// From files as far as there are any, then random numbers.
fn inputs(graph: &Graph, network: &Network, flags: &Flags) -> Result<Vec<Argument<'static>>, String> {
    let constant = graph.constants();
    let parameters = network.signature().parameters.iter().zip(constant);
    let parameters: Vec<_> =
        parameters.filter(|(_, constant)| !constant).map(|(parameter, _)| parameter).collect();
    if flags.inputs.len() > parameters.len() {
        return Err(format!(
            "the model has {} inputs, and {} files are given",
            parameters.len(),
            flags.inputs.len()
        ));
    }
    let mut random = fastrand::Rng::with_seed(0);
    let one = |(k, parameter): (usize, &&lift::Parameter)| match flags.inputs.get(k) {
        Some(path) => input::read(path, parameter, flags.pixels),
        None => input::random(parameter, &mut random),
    };
    parameters.iter().enumerate().map(one).collect()
}

/// Writes the outputs, and says which classes are the likeliest where a picture was given.
fn finish(flags: &Flags, outputs: Vec<Output>) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = &flags.outputs {
        std::fs::create_dir_all(folder)?;
    }
    for (k, output) in outputs.into_iter().enumerate() {
        let Ok(array) = output.into_array::<f32>() else { continue };
        if let Some(folder) = &flags.outputs {
            ndarray_npy::write_npy(folder.join(format!("{k}.npy")), &array)?;
        }
        if k == 0 && !flags.inputs.is_empty() && !flags.json {
            classes(flags, &array)?;
        }
    }
    Ok(())
}

fn classes(flags: &Flags, scores: &ArrayD<f32>) -> std::io::Result<()> {
    let names = flags.classes.as_ref().map(std::fs::read_to_string).transpose()?.unwrap_or_default();
    let names: Vec<&str> = names.lines().collect();
    let mut best: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    for (class, score) in best.into_iter().take(BEST) {
        println!(
            "{score:10.4}  {}",
            names.get(class).map_or_else(|| format!("class {class}"), |name| (*name).to_string())
        );
    }
    Ok(())
}
