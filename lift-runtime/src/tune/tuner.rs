//! What a search is told, and what it tells: its limits, how far it is, and what came of it.

use super::child::Launcher;
use super::{Choice, Found, Front, Outcome};
use crate::{Error, host};
use std::fmt;
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
    /// So many after each other that find nothing better.
    pub stale: usize,
    /// Building and checking one candidate, and timing it.
    pub candidate_time: Duration,
    /// So many are built at the same time.
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

/// Each has the device's driver and the program's arguments.
const MOST_WORKERS: usize = 4;

/// Told after each candidate.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Candidates so far.
    pub tried: usize,
    pub elapsed: Duration,
    pub choice: &'a Choice,
    pub outcome: &'a Outcome,
    /// The fastest so far.
    pub best: Option<&'a Found>,
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} tried", self.tried)?;
        match self.best {
            Some(best) => write!(f, ", best {:.3} ms: {}", best.time.as_secs_f64() * 1e3, best.choice),
            None => Ok(()),
        }
    }
}

/// Why a search ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Ended {
    Time,
    Candidates,
    Stale,
    /// Everything was tried.
    #[default]
    Exhausted,
    Stopped,
    /// What ran candidates does not start any more: why.
    Lost(String),
}

/// What a search found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    pub front: Front,
    pub ended: Ended,
    pub tried: usize,
    pub measured: usize,
    pub wrong: usize,
    /// By the device, its compiler or its memory.
    pub refused: usize,
    /// By the code generator, and never tried: what constraints should have told.
    pub not_generated: usize,
    pub late: usize,
    pub crashed: usize,
    /// Why what was found could not be kept.
    pub unsaved: Option<Error>,
}

impl Report {
    /// One more did so.
    pub(super) fn count(&mut self, outcome: &Outcome) {
        *self.so_many(outcome) += 1;
    }

    /// One that had been measured did so when it was tried again.
    pub(super) fn correct(&mut self, outcome: &Outcome) {
        self.measured -= 1;
        self.count(outcome);
    }

    fn so_many(&mut self, outcome: &Outcome) -> &mut usize {
        match outcome {
            Outcome::Measured { .. } => &mut self.measured,
            Outcome::Wrong(_) => &mut self.wrong,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Late => &mut self.late,
            Outcome::Crashed(_) => &mut self.crashed,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} of {} candidates right and timed", self.measured, self.tried)?;
        let others = [
            (self.refused, "refused by the device"),
            (self.not_generated, "refused by the code generator"),
            (self.wrong, "wrong"),
            (self.late, "late"),
            (self.crashed, "crashed"),
        ];
        others
            .iter()
            .filter(|(count, _)| *count > 0)
            .try_for_each(|(count, what)| write!(f, ", {count} {what}"))?;
        match &self.ended {
            Ended::Time => f.write_str("; the time was up"),
            Ended::Candidates => f.write_str("; as many as were wanted"),
            Ended::Stale => f.write_str("; nothing better came for long"),
            Ended::Exhausted => f.write_str("; there are no others"),
            Ended::Stopped => f.write_str("; stopped"),
            Ended::Lost(why) => write!(f, "; no more could be tried: {why}"),
        }
    }
}
