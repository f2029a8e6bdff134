//! When a search ends, and what it may take.

use crate::host;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// When a search ends, and how it goes.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The whole search, from when its workers have started and know what results should be.
    pub time: Duration,
    /// Candidates that are tried.
    pub candidates: usize,
    /// Candidates in a row that find nothing better.
    pub stale: usize,
    /// Building and checking one candidate, and timing it.
    pub candidate_time: Duration,
    /// Candidates that are built at the same time.
    pub workers: usize,
    /// Bytes of memory that each worker may take, if that is limited.
    pub memory: Option<u64>,
    /// Decides samples and inputs.
    pub seed: u64,
    /// Ends the search as soon as it is set, from a handler of Ctrl-C say; what was found is kept. Set such
    /// a handler before a device is first asked for: drivers have handlers of their own (pocl's compiler
    /// does), and one that was there before ends the program.
    pub stop: Arc<AtomicBool>,
    /// What runs candidates, if not this program.
    pub worker: Option<Launcher>,
}

/// How to start a worker: this program, without arguments, unless told otherwise.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The executable: it must call [`super::worker()`] first in its `main`.
    pub program: PathBuf,
    /// Its arguments, without its name.
    pub arguments: Vec<String>,
}

impl Default for Limits {
    /// A minute; a worker for each core, as long as there are few, and as much memory as there is.
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(60),
            candidates: usize::MAX,
            stale: 500,
            candidate_time: Duration::from_secs(10),
            workers: std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_WORKERS)),
            memory: host::available().and_then(|bytes| u64::try_from(bytes).ok()),
            seed: 0,
            stop: Arc::default(),
            worker: None,
        }
    }
}

impl Limits {
    /// The same for a part of the search: its time, and its part of the candidates.
    pub(crate) fn share(&self, time: Duration, part: f64) -> Limits {
        let some = |n: usize| if n == usize::MAX { n } else { ((n as f64 * part).ceil() as usize).max(1) };
        Limits { time, candidates: some(self.candidates), ..self.clone() }
    }
}

/// Each has the device's driver and the program's arguments.
const MOST_WORKERS: usize = 4;
