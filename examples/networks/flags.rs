//! The command line.

use crate::zoo::Zoo;
use clap::{Parser, ValueEnum};
use lift::Device;
use std::path::PathBuf;

/// Runs well-known networks, compiled as a whole: for each a table of what is computed together, in which form and how long it
/// takes, and the totals.
#[derive(Parser)]
pub struct Flags {
    /// All of them where none is named
    #[arg(value_name = "NETWORK")]
    networks: Vec<Zoo>,
    /// `cpu` is the built-in device; else part of an OpenCL device's name [default: LIFT_DEVICE, or a GPU, or cpu]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// How many pictures are computed together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    batch: u16,
    /// Everything as it is written, which is built soonest
    #[arg(long)]
    pub as_written: bool,
    /// Timed runs, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// Compare the result of every layer with PyTorch's
    #[arg(long)]
    pub check: bool,
    /// The Python that has PyTorch
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    pub python: PathBuf,
    /// The script that it runs [default: scripts/networks.py, else networks.py beside this program]
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// One JSON object a line instead of tables
    #[arg(long)]
    pub json: bool,
}

impl Flags {
    pub fn networks(&self) -> &[Zoo] {
        if self.networks.is_empty() { Zoo::value_variants() } else { &self.networks }
    }

    pub fn device(&self) -> Result<Device, lift::Error> {
        match &self.device {
            Some(name) => Device::named(name),
            None => Device::from_env(),
        }
    }

    pub fn batch(&self) -> usize {
        usize::from(self.batch)
    }
}
