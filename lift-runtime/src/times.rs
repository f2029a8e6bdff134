//! How long kernels took.

use std::time::Duration;

/// The times of one run, without the copies to and from the device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// Every launch in order: the kernel's name, and how long the device worked on it.
    pub kernels: Vec<(String, Duration)>,
}

impl Times {
    pub fn total(&self) -> Duration {
        self.kernels.iter().map(|(_, time)| *time).sum()
    }
}
