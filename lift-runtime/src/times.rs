//! How long kernels took.

use std::time::Duration;

/// The times of one run, without the copies to and from the device. Each is that of a launch: the kernel's
/// name, and how long the device worked on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Times {
    /// The launches of every run, in order.
    pub kernels: Vec<(String, Duration)>,
    /// The launches that came before them because `const` arguments were new to the device; none where it
    /// remembered what was made of these.
    pub prepare: Vec<(String, Duration)>,
}

impl Times {
    /// The time of all launches but the ones for new constants.
    pub fn total(&self) -> Duration {
        self.kernels.iter().map(|(_, time)| *time).sum()
    }

    /// The time of the launches for new constants.
    pub fn preparing(&self) -> Duration {
        self.prepare.iter().map(|(_, time)| *time).sum()
    }
}
