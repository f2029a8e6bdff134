//! The command line.

use clap::{Parser, ValueEnum};
use lift::Device;
use std::path::PathBuf;
use std::time::Duration;

/// Runs a network in ONNX's format: a table of what is computed together, in which form and how long it takes, and the totals
#[derive(Parser)]
pub struct Flags {
    /// The model
    #[arg(value_name = "MODEL.onnx")]
    pub model: PathBuf,
    /// An input, in the order of the model's: an array, `x.npy`, or a picture; may be given again [default: random numbers]
    #[arg(long = "input", value_name = "FILE")]
    pub inputs: Vec<PathBuf>,
    /// What numbers the pixels of pictures become
    #[arg(long, value_name = "RANGE", default_value = "imagenet")]
    pub pixels: Pixels,
    /// A file with the name of each class, one a line
    #[arg(long, value_name = "FILE")]
    pub classes: Option<PathBuf>,
    /// A number for a dimension that the model leaves open: `batch=4`, or `input[0]=4` for one without a name; may be given
    /// again
    #[arg(long = "size", value_name = "NAME=N", value_parser = size)]
    sizes: Vec<(String, usize)>,
    /// `cpu` is the built-in device; else part of an OpenCL device's name [default: LIFT_DEVICE, or a GPU, or cpu]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Look this long (`60s`, `5m`) for the fastest forms, and keep them: the next time they are there at once
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub tune: Option<Duration>,
    /// Everything as it is written, which is built soonest
    #[arg(long, conflicts_with = "tune")]
    pub as_written: bool,
    /// Which forms are wanted
    #[arg(long, value_name = "GOAL", default_value = "moderate", conflicts_with = "as_written")]
    pub goal: Goal,
    /// Timed runs, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Write each output into this folder: `0.npy`, `1.npy`
    #[arg(long, value_name = "FOLDER")]
    pub outputs: Option<PathBuf>,
    /// Say in words what each kernel does
    #[arg(long)]
    pub explain: bool,
    /// One JSON object instead of a table
    #[arg(long)]
    pub json: bool,
}

/// What a pixel's 0 to 255 becomes.
#[derive(Clone, Copy, ValueEnum)]
pub enum Pixels {
    /// 0 to 1, then less each channel's mean and divided by its deviation in ImageNet: most networks of PyTorch's
    Imagenet,
    /// 0 to 1
    Unit,
    /// -1 to 1: most networks of TensorFlow's
    Signed,
    /// 0 to 255 less each channel's mean, blue first: networks of Caffe's
    Caffe,
}

/// What the form of each group of nodes should be good at.
#[derive(Clone, Copy, ValueEnum)]
pub enum Goal {
    /// The fastest, with no more memory than by im2col
    Moderate,
    /// The fastest, whatever memory it takes
    Fastest,
    /// The fastest that starts no more kernels than what is written
    FewestKernels,
}

impl Goal {
    pub fn of_tuning(self) -> lift::tune::Goal {
        match self {
            Goal::Moderate => lift::tune::Goal::Moderate,
            Goal::Fastest => lift::tune::Goal::Fastest,
            Goal::FewestKernels => lift::tune::Goal::FewestKernels,
        }
    }
}

impl Flags {
    pub fn device(&self) -> Result<Device, lift::Error> {
        match &self.device {
            Some(name) => Device::named(name),
            None => Device::from_env(),
        }
    }

    pub fn sizes(&self) -> Vec<(&str, usize)> {
        self.sizes.iter().map(|(name, n)| (name.as_str(), *n)).collect()
    }
}

fn size(text: &str) -> Result<(String, usize), String> {
    let wrong = || format!("`{text}` is not a name and a number: `batch=4`, say");
    let (name, number) = text.split_once('=').ok_or_else(wrong)?;
    Ok((name.to_string(), number.parse().map_err(|_| wrong())?))
}

fn time(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a time: `60s` or `5m`, say");
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = number.parse().map_err(|_| wrong())?;
    match unit {
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        _ => Err(wrong()),
    }
}
