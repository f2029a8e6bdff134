//! Models that were changed at random: each is refused in words or has a plan, soon and in little memory.
//!
//! `LIFT_ONNX_MODELS=n` tries n models instead of a few, `LIFT_HUNT_SECONDS=t` as many as t seconds are enough for,
//! `LIFT_RANDOM_SEED=s` others. `LIFT_FUZZED=folder SHOW=1` replays a folder's models and prints why they are refused.

// Its own part of this.
#[allow(dead_code)]
#[path = "../../tests/common/hunt.rs"]
mod budget;
mod common;
mod mutated;

use lift_onnx::{Model, OnnxError};
use mutated::whole::{Reached, carried_out};
use mutated::{models, numbered};
use std::collections::BTreeMap;
use std::panic::catch_unwind;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// No model takes longer to be refused or planned.
const LONGEST: Duration = Duration::from_secs(20);

/// The same with building for the processor, in forms that are chosen among many.
const LONGEST_RUN: Duration = Duration::from_secs(200);

/// One of so many models is run, if it can be.
const RUN: u64 = 60;

/// What is being tried: seed and beginning.
static NOW: Mutex<Option<(u64, Instant)>> = Mutex::new(None);

#[test]
fn the_models_that_are_changed_have_plans() {
    for (name, model) in models::named() {
        assert_eq!(carried_out(&model, false), Reached::Planned, "{name}");
    }
}

#[test]
fn models_that_are_cut_are_refused() {
    for (name, model) in models::named() {
        for length in 0..model.len() {
            let error = Model::from_bytes(&model[..length]).expect_err("a part of a model is none");
            assert!(matches!(error, OnnxError::NotAModel { .. }), "{name}, {length}: {error}");
        }
    }
}

#[test]
fn changed_models_have_plans_or_are_refused() {
    std::thread::spawn(watch);
    let mut ends: BTreeMap<Reached, usize> = BTreeMap::new();
    let (mut tried, mut slowest, mut failed) = (0, (Duration::ZERO, 0), vec![]);
    for seed in budget::budget(budget::all_seeds(), "LIFT_ONNX_MODELS", 300) {
        let start = Instant::now();
        *NOW.lock().unwrap() = Some((seed, start));
        let (name, bytes) = numbered(seed);
        // One that fails does not keep others from being tried.
        match catch_unwind(|| carried_out(&bytes, seed % RUN == 0)) {
            Ok(reached) => *ends.entry(reached).or_default() += 1,
            Err(_) => {
                let path = std::env::temp_dir().join(format!("lift-onnx-{seed}.onnx"));
                std::fs::write(&path, bytes).unwrap();
                eprintln!("FAILED: seed {seed}, a form of `{name}`, in {}", path.display());
                failed.push(seed);
            }
        }
        *NOW.lock().unwrap() = None;
        tried += 1;
        slowest = slowest.max((start.elapsed(), seed));
        if failed.len() == 100 {
            break;
        }
    }
    println!(
        "hunted: {tried} models, {ends:?}, the slowest {:?} (seed {}), {:?}",
        slowest.0,
        slowest.1,
        memory()
    );
    assert!(failed.is_empty(), "LIFT_ONNX_MODELS=1 LIFT_RANDOM_SEED={}: {failed:?}", failed[0]);
}

/// Models that went wrong once, or that may be like those.
#[test]
fn kept_models_have_plans_or_are_refused() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/kept/onnx");
    let folder = std::env::var("LIFT_FUZZED").unwrap_or(kept.into());
    let mut slowest = (Duration::ZERO, String::new());
    let mut replayed = 0;
    for entry in std::fs::read_dir(folder).expect("models that the fuzzer kept") {
        let path = entry.expect("an entry").path();
        let start = Instant::now();
        let reached = carried_out(&std::fs::read(&path).expect("a file"), false);
        slowest = slowest.max((start.elapsed(), format!("{}: {reached:?}", path.display())));
        replayed += 1;
    }
    println!("{replayed} models, the slowest takes {:?}: {}", slowest.0, slowest.1);
    assert!(replayed > 0 && slowest.0 < LONGEST, "{:?} for {}", slowest.0, slowest.1);
}

/// Ends everything if one model takes too long or too much memory, and says which.
fn watch() {
    loop {
        std::thread::sleep(Duration::from_millis(50));
        let Some((seed, start)) = *NOW.lock().unwrap() else { continue };
        let too_large = resident().is_some_and(|bytes| bytes > LARGEST);
        let longest = if seed % RUN == 0 { LONGEST_RUN } else { LONGEST };
        if start.elapsed() > longest || too_large {
            let path = std::env::temp_dir().join(format!("lift-onnx-{seed}.onnx"));
            drop(std::fs::write(&path, numbered(seed).1));
            eprintln!(
                "FAILED: seed {seed} takes {:?} and {:?} bytes, in {}",
                start.elapsed(),
                resident(),
                path.display()
            );
            std::process::abort();
        }
    }
}

/// A model takes no more memory: what is computed while importing may take 4 GiB.
const LARGEST: usize = 9 << 30;

/// A line of what the system says of this process, in bytes; nothing where it says it elsewhere.
fn status(line: &str) -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let found = status.lines().find_map(|l| l.strip_prefix(line))?;
    found.split_whitespace().next()?.parse::<usize>().ok().map(|kib| kib << 10)
}

fn resident() -> Option<usize> {
    status("VmRSS:")
}

/// The most memory that this process took, in bytes.
fn memory() -> Option<usize> {
    status("VmHWM:")
}
