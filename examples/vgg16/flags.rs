//! The command line.

use crate::arguments;
use crate::form;
use crate::layers::{LAYERS, Layer};
use clap::{Parser, ValueEnum};
use lift::tune::Choice;
use lift::{Device, Error};
use std::path::PathBuf;
use std::time::Duration;

/// Runs the nine distinct convolution layers of VGG-16 and checks them against a plain loop nest.
#[derive(Parser)]
pub struct Flags {
    /// Only this layer, by its number in the network; may be given again
    #[arg(long = "layer", value_name = "N", value_parser = arguments::layer())]
    layers: Vec<Layer>,
    /// `cpu` is the built-in device; else part of an OpenCL device's name [default: LIFT_DEVICE or cpu]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// The form that this schedule derives: `direct`, `mapped`, `combined`, `tiled` or `blocked`; or `default`, the
    /// program as it is written [default: the best form that is known for the device]
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<String>,
    /// Options of the schedule, separated by commas
    #[arg(long = "option", value_name = "NAMES", value_delimiter = ',')]
    options: Vec<String>,
    /// Values of the schedule's parameters: `D=32,V=16`; the others get the first values that fit
    #[arg(long, value_name = "NAME=N", value_delimiter = ',', value_parser = parameter)]
    point: Vec<(String, i64)>,
    /// Where the maps run that the schedule leaves open: `@20.10.0`, as the store has it
    #[arg(long, value_name = "CODES")]
    places: Option<String>,
    /// A file of forms, a line for each layer, as the store has them: `12 blocked ragged GM=16 GN=16`; layers that it
    /// does not name have the best form that is known
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schedule", "options", "point", "places"])]
    pub points: Option<PathBuf>,
    /// Look this long (`60s`, `2m`) for each layer's fastest form, and keep it: the next time it is there
    /// at once
    #[arg(long, value_name = "TIME", value_parser = arguments::time, conflicts_with_all = ["schedule", "points", "print"])]
    pub tune: Option<Duration>,
    /// Look on where forms are kept already
    #[arg(long, requires = "tune")]
    pub again: bool,
    /// One JSON object a line instead of a table
    #[arg(long)]
    pub json: bool,
    /// Write one layer as C and OpenCL into a new folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["print", "json"])]
    pub export: Option<PathBuf>,
    /// Print this of the form of `--schedule` or `--points`, else of the program as it is, for each layer where it
    /// depends on that, and run nothing
    #[arg(long, value_name = "WHAT")]
    pub print: Option<Text>,
    /// Timed runs of each layer, of which the median counts [default: about a second's worth, 10 at most]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: Option<u32>,
    /// Don't compare the results with the loop nest's
    #[arg(long)]
    pub no_check: bool,
    /// Seed of the random data and of the search [default: a fresh one]
    #[arg(long)]
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum Text {
    /// The program as its user writes it
    Program,
    /// Every step of the schedule's derivation
    Derivation,
    /// What the schedule makes of the program, its sizes symbolic
    Candidate,
    /// The expression that kernels are generated from
    Lowered,
    /// The kernels as trees of loops
    Kernels,
    /// The kernels as OpenCL C
    Opencl,
    /// The kernels as C
    C,
    /// The memory that they take
    Memory,
    /// What they do, and why they are as they are
    Explain,
}

impl Flags {
    pub fn layers(&self) -> &[Layer] {
        if self.layers.is_empty() { &LAYERS } else { &self.layers }
    }

    /// The form that is asked for.
    pub fn choice(&self) -> Result<Choice, String> {
        let schedule = self.schedule.clone().filter(|name| name != form::DEFAULT);
        let (options, point) = (self.options.clone(), self.point.clone());
        let places = self.places.iter().map(|codes| format!("- {codes}").parse::<Choice>());
        let places = places.collect::<Result<Vec<_>, _>>()?.into_iter().flat_map(|c| c.places).collect();
        Ok(Choice { schedule, options, places, point, parts: vec![], inline: false })
    }

    pub fn device(&self) -> Result<Device, Error> {
        let variable = || std::env::var("LIFT_DEVICE").ok().filter(|name| !name.trim().is_empty());
        match self.device.clone().or_else(variable) {
            Some(name) => Device::named(&name),
            None => Ok(Device::cpu()),
        }
    }
}

fn parameter(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("a parameter is given as NAME=N")?;
    let value = value.trim().parse().map_err(|e| format!("`{value}`: {e}"))?;
    Ok((name.trim().to_string(), value))
}
