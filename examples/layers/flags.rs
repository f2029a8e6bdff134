//! The command line.

use crate::layers::{Layer, layers};
use clap::Parser;
use lift::schedules::{SCHEDULES, Schedule};
use lift::{Device, Error};

/// Runs convolution layers of all kinds at full size by every schedule at many points of its parameters, and
/// compares what comes out with a matrix product in f64.
#[derive(Parser)]
pub struct Flags {
    /// Only this layer, by its name in the table; may be given again
    #[arg(long = "layer", value_name = "NAME")]
    layers: Vec<String>,
    /// Only this schedule: `direct`, `mapped`, `combined`, `tiled` or `blocked`; may be given again
    #[arg(long = "schedule", value_name = "NAME")]
    schedules: Vec<String>,
    /// At least so many points of each layer by each schedule
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub points: usize,
    /// `cpu` is the built-in device; else part of an OpenCL device's name [default: LIFT_DEVICE or the best]
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Seed of the random data and points [default: a fresh one]
    #[arg(long)]
    pub seed: Option<u64>,
    /// One JSON object a line instead of a table
    #[arg(long)]
    pub json: bool,
}

impl Flags {
    pub fn layers(&self) -> Result<Vec<Layer>, String> {
        let mut all = layers();
        let names: Vec<&str> = all.iter().map(|layer| layer.name).collect();
        if let Some(unknown) = self.layers.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(format!("there is no layer `{unknown}`, but these: {}", names.join(", ")));
        }
        all.retain(|layer| self.layers.is_empty() || self.layers.iter().any(|name| name == layer.name));
        Ok(all)
    }

    pub fn schedules(&self) -> Result<Vec<&'static Schedule>, String> {
        let named =
            |name: &String| Schedule::named(name).ok_or_else(|| format!("there is no schedule `{name}`"));
        match self.schedules[..] {
            [] => Ok(of_convolutions()),
            _ => self.schedules.iter().map(named).collect(),
        }
    }

    pub fn device(&self) -> Result<Device, Error> {
        self.device.as_deref().map_or_else(Device::from_env, Device::named)
    }
}

/// The schedules that layers have forms of: a convolution is no prefix sum, no transposition, and no window in planes.
pub fn of_convolutions() -> Vec<&'static Schedule> {
    SCHEDULES.iter().copied().filter(|s| !["scans", "turned", "framed"].contains(&s.name)).collect()
}
