//! VGG-16's convolution layers from one expression: time, memory and error of each.
//!
//! `cargo run --release --example vgg16` (see `--help` after `--` for what it can be asked)

mod arguments;
mod export;
mod flags;
mod form;
mod layers;
mod measure;
mod peak;
mod reference;
mod report;
mod tune;

use clap::Parser;
use flags::{Flags, Text};
use form::Forms;
use indicatif::{ProgressBar, ProgressStyle};
use layers::Layer;
use lift::{Compiled, Device};
use measure::{Effort, Measurement};
use peak::Peak;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tune::Tuner;

fn main() -> ExitCode {
    lift::tune::worker();
    match run(&Flags::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("vgg16: a result differs from the loop nest's by more than rounding does");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("vgg16: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Are all results right?
fn run(flags: &Flags) -> Result<bool, Box<dyn Error>> {
    let forms = Forms::new(flags)?;
    if let Some(text) = flags.print {
        print(text, &forms, flags.layers())?;
        return Ok(true);
    }
    let seed = flags.seed.unwrap_or_else(|| fastrand::u64(..1 << 32));
    // Before the device: its driver may handle Ctrl-C, too.
    let tuner = match flags.tune {
        Some(time) => Tuner::new(time, seed, flags.again)?,
        None => Tuner::known(),
    };
    let device = flags.device()?;
    if let Some(folder) = &flags.export {
        return export(flags, &forms, &tuner, &device, seed, folder).map(|()| true);
    }
    let effort = Effort { repeat: flags.repeat, check: !flags.no_check, seed };
    let measurements = all(flags, &forms, &tuner, &device, &effort)?;
    if !flags.json {
        println!("VGG-16's convolution layers on {device}; seed {seed}");
        println!("{}", report::table(&measurements));
        println!("ms: time of the kernels, median of the runs · minimum: input, weights, biases and output");
        println!("prepare ms: what is done once for the same weights, and is not in the time before it");
        println!(
            "of peak: the shortest run, of what multiplications and additions alone reached, on a processor in turn with it"
        );
        println!("error: ‖output − reference‖ / ‖reference‖ against a loop nest in f64");
    }
    Ok(measurements.iter().all(Measurement::correct))
}

fn print(text: Text, forms: &Forms, layers: &[Layer]) -> Result<(), lift::Error> {
    if let Text::Program | Text::Derivation | Text::Candidate = text {
        println!("{}", forms.of(&layers[0]).text(text, &layers[0])?);
        return Ok(());
    }
    for layer in layers {
        println!("// Layer {} of VGG-16", layer.number);
        println!("{}", forms.of(layer).text(text, layer)?);
    }
    Ok(())
}

/// One layer, in the form that the flags name, else in the best that is known.
fn export(
    flags: &Flags,
    forms: &Forms,
    tuner: &Tuner,
    device: &Device,
    seed: u64,
    folder: &Path,
) -> Result<(), Box<dyn Error>> {
    let [layer] = flags.layers() else {
        return Err("`--export` writes one layer: which one? (`--layer N`)".into());
    };
    let bar = progress(1);
    let (form, compiled) = built(forms, tuner, device, layer, &bar)?;
    export::write(&form, &compiled, layer, seed, folder)?;
    bar.finish_and_clear();
    println!("layer {} on {device}: {form}; seed {seed}", layer.number);
    println!("try it: make -C {} check", folder.display());
    Ok(())
}

/// A layer's form, by name and built: the one that is given, else the best that is known.
fn built(
    forms: &Forms,
    tuner: &Tuner,
    device: &Device,
    layer: &Layer,
    bar: &ProgressBar,
) -> Result<(String, Arc<Compiled>), lift::Error> {
    if let Some(form) = forms.given(layer) {
        return Ok((form.name(), form.compile(device, layer)?));
    }
    let best = tuner.best(device, layer, bar)?;
    Ok((form::name(&best.choice), Arc::new(best.compiled)))
}

fn all(
    flags: &Flags,
    forms: &Forms,
    tuner: &Tuner,
    device: &Device,
    effort: &Effort,
) -> Result<Vec<Measurement>, Box<dyn Error>> {
    let bar = progress(flags.layers().len());
    let peak = Peak::new(device)?;
    let mut measurements = vec![];
    for layer in flags.layers() {
        bar.set_message(format!("layer {}", layer.number));
        let (name, compiled) = built(forms, tuner, device, layer, &bar)?;
        let measurement = measure::measure(name, &compiled, layer, effort, &peak)?;
        if flags.json {
            let line = serde_json::to_string(&measurement)?;
            bar.suspend(|| println!("{line}"));
        }
        measurements.push(measurement);
        bar.inc(1);
        if tuner.stopped() {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(measurements)
}

/// A bar on stderr; nothing where that is no terminal.
fn progress(layers: usize) -> ProgressBar {
    let bar = ProgressBar::new(layers as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
