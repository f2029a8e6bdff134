//! The command line.

use crate::cases::{self, Case, Scale};
use clap::{Parser, ValueEnum};
use lift::tune::Goal;
use lift::{Device, Error, Kind, Settings};
use std::path::PathBuf;
use std::time::Duration;

/// Times of this library and of others for many families of programs, in turn in one run.
#[derive(Clone, Parser)]
pub struct Flags {
    /// `cpu` is the built-in device; else part of an OpenCL device's name. Of several the fastest counts [default: a
    /// GPU; without one `cpu` and `pocl`, if that is there]
    #[arg(long = "device", value_name = "NAMES", value_delimiter = ',')]
    devices: Vec<String>,
    /// Only families whose names contain this; may be given again. `boda` is measured only if it is named: what Boda-RTC was
    /// measured on, all convolutions of AlexNet, NiN and GoogLeNet with batches of 1, 5 and 20, and square products
    #[arg(long = "family", value_name = "NAME")]
    families: Vec<String>,
    /// Only cases whose names contain this; may be given again
    #[arg(long = "case", value_name = "NAME")]
    cases: Vec<String>,
    /// A small case of each program instead of the real ones, to see that all is well
    #[arg(long)]
    pub quick: bool,
    /// Each case at sizes that stand in no table, drawn from this seed
    #[arg(long, value_name = "SEED", conflicts_with = "quick")]
    pub drawn: Option<u64>,
    /// Print the cases and measure nothing
    #[arg(long)]
    pub list: bool,
    /// Search this long for each case's fastest form first, where none is kept from another time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub tune: Option<Duration>,
    /// How much device memory forms may take
    #[arg(long, value_name = "GOAL", default_value = "moderate")]
    pub goal: Memory,
    /// As if nothing had been built or found on this machine before
    #[arg(long)]
    pub fresh: bool,
    /// No peers: for each schedule the best form after a search this long, beside the program as it is written
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with_all = ["tune", "plot"])]
    pub schedules: Option<Duration>,
    /// Time nothing: so many random forms of each part of each case by each schedule, compared with PyTorch's result in
    /// 64-bit floats
    #[arg(long, value_name = "N", conflicts_with_all = ["tune", "plot", "schedules"])]
    pub forms: Option<usize>,
    /// Rounds, in each of which everyone has a turn
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// How long a turn takes, if more than one run fits
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = seconds)]
    pub turn: Duration,
    /// The Python whose libraries are the peers
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: PathBuf,
    /// The script that runs the peers [default: scripts/peers.py, else peers.py beside this program]
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Seed of the data
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// One JSON object a line instead of tables
    #[arg(long)]
    pub json: bool,
    /// Add each case to this file as soon as it is measured, as a line of JSON, and measure none that is there for the same
    /// devices: a run that was ended goes on, given the same flags
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schedules", "forms"])]
    pub resume: Option<PathBuf>,
    /// Draw the ratios into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Draw into this file, as SVG, how many operations a second there are for how many a byte, below the device's roof
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schedules", "forms"])]
    pub roofline: Option<PathBuf>,
    /// Write a line for each case and device into this file, as CSV
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schedules", "forms"])]
    pub csv: Option<PathBuf>,
}

/// How much device memory forms may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Memory {
    /// What the program would take by im2col
    Moderate,
    /// As much as the device has
    Fastest,
    /// A megabyte beside the program's arrays
    Arrays,
}

/// Bytes beside the arrays of a program that keeps to these.
const LITTLE: usize = 1 << 20;

impl Memory {
    /// The goal, for a program whose arrays have so many bytes.
    pub fn goal(self, arrays: usize) -> Goal {
        match self {
            Memory::Moderate => Goal::Moderate,
            Memory::Fastest => Goal::Fastest,
            Memory::Arrays => Goal::WithinBytes(arrays + LITTLE),
        }
    }
}

impl Flags {
    /// The devices that are asked for, or the usual ones; built kernels are kept in this folder if there is one.
    pub fn devices(&self, folder: Option<PathBuf>) -> Result<Vec<Device>, Error> {
        let mut found = vec![];
        if self.devices.is_empty() {
            let best = Device::best()?;
            found.push(best.clone());
            if best.kind() != Kind::Gpu {
                found.extend(Device::named("pocl").ok().filter(|pocl| pocl.to_string() != best.to_string()));
            }
        }
        for name in &self.devices {
            found.push(Device::named(name)?);
        }
        if folder.is_some() {
            let settings = Settings { cache: folder, ..Settings::default() };
            let all = Device::all_with(&settings);
            let same = |device: &Device| all.iter().find(|d| d.to_string() == device.to_string()).cloned();
            found = found.iter().map(|device| same(device).unwrap_or_else(|| device.clone())).collect();
        }
        Ok(found)
    }

    /// The cases that are asked for.
    pub fn cases(&self, gpu: bool) -> Result<Vec<Case>, String> {
        let scale = |case: &Case| match case.scale {
            Scale::Quick => self.quick,
            Scale::Full => !self.quick,
            Scale::Gpu => !self.quick && gpu,
            Scale::Named => !self.quick && !self.families.is_empty(),
        };
        let wanted = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|n| name.to_lowercase().contains(&n.to_lowercase()))
        };
        let chosen = |case: &Case| {
            scale(case) && wanted(&self.families, case.family) && wanted(&self.cases, &case.name)
        };
        let mut found: Vec<_> = cases::all().into_iter().filter(chosen).collect();
        if let Some(seed) = self.drawn {
            let rng = &mut fastrand::Rng::with_seed(seed);
            found = found.iter().filter_map(|case| case.drawn(rng)).collect();
        }
        match found.is_empty() {
            false => Ok(found),
            true => Err(format!("there is no such case; families are {}", cases::families().join(", "))),
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|e| format!("{e}"))?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}
