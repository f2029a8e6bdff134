//! The command line.

use crate::arguments;
use crate::layers::Layer;
use clap::{Args, Parser, Subcommand};
use lift::tune::Launcher;
use std::path::PathBuf;
use std::time::Duration;

/// Makes the figures of the papers: measures on a device, writes what was measured as CSV, and draws it.
#[derive(Parser)]
pub struct Flags {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Throughput and memory of each layer by each schedule
    Throughput {
        #[command(flatten)]
        effort: Effort,
        #[command(flatten)]
        known: Known,
        /// Times of others, `layer,ms` in a CSV file; may be given again
        #[arg(long = "peer", value_name = "NAME=FILE.csv", value_parser = peer)]
        peers: Vec<(String, PathBuf)>,
    },
    /// Time and memory of everything that a search of a layer measures, and the front
    Pareto {
        #[command(flatten)]
        effort: Effort,
    },
    /// The best found over time by the solver, by hand, at random and by the search, and where the time goes
    Exploration {
        #[command(flatten)]
        effort: Effort,
        #[command(flatten)]
        form: Mapped,
    },
    /// What so many candidates can be expected to find, sequential maps fused or not
    Expectancy {
        #[command(flatten)]
        effort: Effort,
        #[command(flatten)]
        form: Mapped,
    },
    /// How often each rule of placement is applied to the layer
    Constraints {
        #[command(flatten)]
        effort: Effort,
    },
    /// The parameters of the best form that is known, and what they mean
    Parameters {
        #[command(flatten)]
        effort: Effort,
        #[command(flatten)]
        known: Known,
    },
    /// Draws what was measured elsewhere
    Draw {
        #[arg(value_name = "FILE.csv", required = true)]
        files: Vec<PathBuf>,
    },
    /// Writes the page with all figures of a folder beside that folder
    Page {
        #[arg(value_name = "FOLDER", default_value = "docs/figures")]
        folder: PathBuf,
    },
}

/// What is measured, and for how long.
#[derive(Args, Clone, Default)]
pub struct Effort {
    /// Only this layer of VGG-16, by its number in the network; may be given again [default: the paper's]
    #[arg(long = "layer", value_name = "N", value_parser = arguments::layer())]
    pub layers: Vec<Layer>,
    /// `cpu` is the built-in device; else part of an OpenCL device's name
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub device: String,
    /// Look so long (`60s`, `2m`): for each layer, or each way of looking [default: 60s; `throughput` and
    /// `parameters` take what is known]
    #[arg(long, value_name = "TIME", value_parser = arguments::time)]
    pub tune: Option<Duration>,
    /// So many candidates at most, for each layer or each way of looking [default: the paper's, or any number]
    #[arg(long, value_name = "N")]
    pub candidates: Option<usize>,
    /// A candidate that takes longer to build, check and time is given up
    #[arg(long, value_name = "TIME", value_parser = arguments::time, default_value = "10s")]
    pub candidate_time: Duration,
    /// Decides what is drawn at random
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Where tuning keeps what it finds [default: in the cache folder]
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,
    /// The folder for what is made
    #[arg(long, value_name = "FOLDER", default_value = "docs/figures")]
    pub out: PathBuf,
    /// Each row as one JSON object a line, too, as it is measured
    #[arg(long)]
    pub json: bool,
    /// What runs candidates, if not this program.
    #[arg(skip)]
    pub worker: Option<Launcher>,
}

/// Forms that are known besides those that tuning keeps.
#[derive(Args, Clone, Default)]
pub struct Known {
    /// A file of forms, a line for each: `12 blocked,ragged GM=16,GN=16`; may be given again
    #[arg(long = "points", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// Which form of the schedule `mapped`.
#[derive(Args, Clone, Default)]
pub struct Mapped {
    /// Its options, separated by commas
    #[arg(long = "option", value_name = "NAMES", value_delimiter = ',')]
    pub options: Vec<String>,
}

fn peer(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("others' times are given as NAME=FILE.csv")?;
    Ok((name.into(), file.into()))
}
