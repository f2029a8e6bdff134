//! The search, carried out: candidates given to a worker, and what is right kept.

use super::child::Launcher;
use super::crew::{Crew, after};
use super::message::Task;
use super::turns::{CERTAIN, MOMENTS, Turns};
use super::{Choice, Found, Front, Outcome, Search, Trial, Tuning};
use crate::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// When a search ends, and how it goes.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The whole search.
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
            memory: available(),
            seed: 0,
            stop: Arc::default(),
            worker: None,
        }
    }
}

/// Each has the device's driver and the program's arguments.
const MOST_WORKERS: usize = 4;

/// The bytes that the system could give to programs now; where it says so (Linux only).
fn available() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|n| n << 10)
}

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

/// The part of the time that is kept for timing the best again, and the most of it.
const AGAIN: u32 = 8;
const MOST_AGAIN: Duration = Duration::from_secs(10);

/// The fastest and those that come so near it, so many at most, are compared again.
const FEW: usize = 10;
const NEAR: f64 = 1.1;

impl Tuning {
    /// Looks for the best forms of the program. What is found is kept as it is found.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a worker that does not start; a program whose results can't be checked;
    /// [`Error::NoCandidate`] if nothing was right. That the store can't be written is no error:
    /// see [`Report::unsaved`]. Nor is what happens once something was found: see [`Ended::Lost`].
    pub fn search(&self, limits: &Limits, mut told: impl FnMut(&Progress)) -> Result<Report, Error> {
        let end = after(Instant::now(), limits.time);
        let mut crew = Turns::new(Crew::new(self, limits, limits.workers.min(limits.candidates))?);
        let mut search = self.candidates(limits.seed);
        let mut report = Report::default();
        let mut explored = self.explore(limits, end, &mut crew, &mut search, &mut report, &mut told);
        if explored.is_ok() && report.ended != Ended::Stopped {
            explored = self.again(&mut search, &mut crew, end);
        }
        if let Err(error) = explored {
            if report.front.is_empty() {
                return Err(error);
            }
            report.ended = Ended::Lost(error.to_string());
        }
        report.not_generated = search.refused;
        // What was found, as it is seen in the end.
        report.front = search.fastest().iter().cloned().collect::<Front>().scaled(crew.pace());
        if !report.front.is_empty() {
            let tried: Vec<&Choice> = search.fastest().iter().map(|found| &found.choice).collect();
            let settled = self.store.as_ref().map_or(Ok(()), |s| s.settle(&self.key, &tried, &report.front));
            report.unsaved = settled.err();
        }
        self.mark(&report.front);
        Ok(report)
    }

    /// Tries one candidate after the other until the search is over.
    fn explore(
        &self,
        limits: &Limits,
        end: Instant,
        crew: &mut Turns,
        search: &mut Search,
        report: &mut Report,
        told: &mut dyn FnMut(&Progress),
    ) -> Result<(), Error> {
        let start = Instant::now();
        let deadline = end - (limits.time / AGAIN).min(MOST_AGAIN);
        let (mut stale, mut reason) = (0, String::from("none was tried"));
        let mut next = search.some(crew.size());
        while !next.is_empty() {
            if let Some(ended) = over(limits, deadline, report.tried, stale) {
                report.ended = ended;
                break;
            }
            let round = std::mem::take(&mut next);
            crew.prepare(self.tasks(&round)?)?;
            // This is work as well: it is done while nothing is timed.
            let left = limits.candidates.saturating_sub(report.tried + round.len());
            next = search.some(crew.size().min(left));
            let mut early = crew.prepared()?;
            for (k, choice) in round.iter().enumerate() {
                let best = report.front.best().map(|f| f.time);
                let trial = match early[k].take() {
                    Some(trial) => Some(trial),
                    None => crew.time(k, MOMENTS)?,
                };
                // The search was over before that.
                let Some(Trial { outcome, .. }) = trial else { break };
                stale += 1;
                if let Outcome::Measured { time, .. } = &outcome
                    && best.is_none_or(|best| *time < best)
                {
                    stale = 0;
                }
                if let Some(why) = self.learn(choice, &outcome, search, report) {
                    reason = why;
                }
                let (tried, best) = (report.tried, report.front.best());
                told(&Progress { tried, elapsed: start.elapsed(), choice, outcome: &outcome, best });
            }
            if next.is_empty() {
                next = search.some(crew.size().min(limits.candidates.saturating_sub(report.tried)));
            }
        }
        if report.ended == Ended::Exhausted
            && let Some(ended) = over(limits, deadline, report.tried, stale)
        {
            report.ended = ended;
        }
        if report.front.is_empty() && report.tried > 0 && report.ended != Ended::Stopped {
            let (program, device) = (self.program.name().to_string(), self.device.to_string());
            return Err(Error::NoCandidate { program, device, reason });
        }
        Ok(())
    }

    /// Counts an outcome and keeps what is found; the reason if it is none that could be timed.
    fn learn(
        &self,
        choice: &Choice,
        outcome: &Outcome,
        search: &mut Search,
        report: &mut Report,
    ) -> Option<String> {
        report.tried += 1;
        match outcome {
            Outcome::Measured { time, bytes } => {
                report.measured += 1;
                let found = Found { choice: choice.clone(), time: *time, bytes: *bytes };
                search.learn(&found);
                self.keep(found, report);
                return None;
            }
            Outcome::Wrong(why) => {
                report.wrong += 1;
                log::warn!("{} by `{choice}` on {}: {why}", self.program.name(), self.device);
                return Some(why.clone());
            }
            Outcome::Late => report.late += 1,
            Outcome::Refused(why) => {
                report.refused += 1;
                return Some(why.clone());
            }
            Outcome::Crashed(why) => {
                report.crashed += 1;
                return Some(why.clone());
            }
        }
        None
    }

    /// Compares those again that came near the fastest: of many, some did so by chance.
    fn again(&self, search: &mut Search, crew: &mut Turns, end: Instant) -> Result<(), Error> {
        let Some(best) = search.fastest().first().map(|f| f.time) else { return Ok(()) };
        let few = search.fastest().iter().take(FEW).take_while(|f| f.time <= best.mul_f64(NEAR));
        let few: Vec<Choice> = few.map(|f| f.choice.clone()).collect();
        for round in few.chunks(crew.size()).filter(|_| few.len() > 1) {
            if Instant::now() >= end {
                break;
            }
            crew.prepare(self.tasks(round)?)?;
            let early = crew.prepared()?;
            for (k, choice) in round.iter().enumerate() {
                if early[k].is_none()
                    && let Some(trial) = crew.time(k, CERTAIN)?
                    && let Outcome::Measured { time, bytes } = trial.outcome
                {
                    search.correct(Found { choice: choice.clone(), time, bytes });
                }
            }
        }
        Ok(())
    }

    fn tasks(&self, choices: &[Choice]) -> Result<Vec<Task>, Error> {
        choices.iter().map(|choice| self.forms.task(choice)).collect()
    }

    fn keep(&self, found: Found, report: &mut Report) {
        if report.front.insert(found) {
            let merged = self.store.as_ref().map_or(Ok(()), |s| s.merge(&self.key, &report.front));
            report.unsaved = merged.err();
        }
    }
}

fn over(limits: &Limits, deadline: Instant, tried: usize, stale: usize) -> Option<Ended> {
    let reasons = [
        (limits.stop.load(Ordering::Relaxed), Ended::Stopped),
        (Instant::now() >= deadline, Ended::Time),
        (tried >= limits.candidates, Ended::Candidates),
        (stale >= limits.stale, Ended::Stale),
    ];
    reasons.into_iter().find(|(over, _)| *over).map(|(_, ended)| ended)
}
