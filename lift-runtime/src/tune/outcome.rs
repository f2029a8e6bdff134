//! The outcome of a candidate, and how long it took: workers answer with it, and the tuner compares it.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How a candidate did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// Its results are right.
    Measured {
        /// Of the kernels, without copies to and from the device: the shortest of several runs.
        time: Duration,
        /// Device memory: arguments, results and temporaries.
        bytes: usize,
    },
    /// Its results are not those of the program; says which.
    Wrong(String),
    /// It could not be built or started.
    Refused(String),
    /// It took longer than it may.
    Late,
    /// It ended the process that it ran in; says how.
    Crashed(String),
}

/// How a candidate did, and what that took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trial {
    /// How it went.
    pub outcome: Outcome,
    /// How long each stage took.
    pub stages: Stages,
}

/// The time that a candidate took, not that of its kernels alone. Of one that was ended, all counts as
/// running.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Stages {
    /// From the program to the kernels' text.
    pub generating: Duration,
    /// By the device's compiler.
    pub building: Duration,
    /// Checked and timed.
    pub running: Duration,
}
