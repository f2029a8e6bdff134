//! The search, carried out: candidates given to a worker, and what is right kept.

use super::child::{Child, Launcher, Silence};
use super::message::{Reply, Task};
use super::{Choice, Found, Front, Outcome, Stages, Trial, Tuning};
use crate::{Error, Kind};
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
    /// One candidate: built, checked and timed.
    pub candidate_time: Duration,
    /// Decides samples and inputs.
    pub seed: u64,
    /// Ends the search as soon as it is set, from a handler of Ctrl-C say; what was found is kept.
    pub stop: Arc<AtomicBool>,
    /// What runs candidates, if not this program.
    pub worker: Option<Launcher>,
}

impl Default for Limits {
    /// A minute.
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(60),
            candidates: usize::MAX,
            stale: 500,
            candidate_time: Duration::from_secs(10),
            seed: 0,
            stop: Arc::default(),
            worker: None,
        }
    }
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Time,
    Candidates,
    Stale,
    /// Everything was tried.
    Exhausted,
    Stopped,
}

/// What a search found.
#[derive(Debug)]
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

/// Starting takes a reference result and a driver's start.
const START: Duration = Duration::from_secs(300);

/// A worker that ends so often before it has answered once will not do better.
const STARTS: usize = 3;

impl Tuning {
    /// Looks for the best forms of the program. What is found is kept as it is found.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a worker that does not start; a program whose results can't be checked;
    /// [`Error::NoCandidate`] if nothing was right. That the store can't be written is no error:
    /// see [`Report::unsaved`].
    pub fn search(&self, limits: &Limits, mut told: impl FnMut(&Progress)) -> Result<Report, Error> {
        let start = Instant::now();
        let mut worker = Worker::new(self, limits)?;
        let mut search = self.candidates(limits.seed);
        let mut report = Report {
            front: Front::default(),
            ended: Ended::Exhausted,
            tried: 0,
            measured: 0,
            wrong: 0,
            refused: 0,
            not_generated: 0,
            late: 0,
            crashed: 0,
            unsaved: None,
        };
        let (mut stale, mut reason) = (0, String::from("none was tried"));
        let mut next = search.next_candidate();
        while let Some(choice) = next {
            if let Some(ended) = self.over(limits, start, report.tried, stale) {
                report.ended = ended;
                break;
            }
            let best = report.front.best().map(|f| f.time);
            worker.begin(&Task::Measure { choice: choice.clone(), best })?;
            // While another device is at work, the next candidate is chosen. A processor is not to be
            // measured while it does something else.
            next = if self.device.kind() == Kind::Gpu { search.next_candidate() } else { None };
            let Some(Trial { outcome, .. }) = worker.finish()? else {
                next = next.or(Some(choice));
                continue;
            };
            report.tried += 1;
            stale += 1;
            match &outcome {
                Outcome::Measured { time, bytes } => {
                    report.measured += 1;
                    let found = Found { choice: choice.clone(), time: *time, bytes: *bytes };
                    search.learn(&found);
                    if best.is_none_or(|best| *time < best) {
                        stale = 0;
                    }
                    if report.front.insert(found) {
                        report.unsaved = self.keep(&report.front).err();
                    }
                }
                Outcome::Wrong(why) => {
                    report.wrong += 1;
                    log::warn!("{} by `{choice}` on {}: {why}", self.program.name(), self.device);
                    reason.clone_from(why);
                }
                Outcome::Refused(why) => {
                    report.refused += 1;
                    reason.clone_from(why);
                }
                Outcome::Late => report.late += 1,
                Outcome::Crashed(why) => {
                    report.crashed += 1;
                    reason.clone_from(why);
                }
            }
            let best = report.front.best();
            told(&Progress {
                tried: report.tried,
                elapsed: start.elapsed(),
                choice: &choice,
                outcome: &outcome,
                best,
            });
            if next.is_none() {
                next = search.next_candidate();
            }
        }
        report.not_generated = search.refused;
        if report.front.is_empty() && report.tried > 0 && report.ended != Ended::Stopped {
            let (program, device) = (self.program.name().to_string(), self.device.to_string());
            return Err(Error::NoCandidate { program, device, reason });
        }
        self.mark(&report.front);
        Ok(report)
    }

    fn over(&self, limits: &Limits, start: Instant, tried: usize, stale: usize) -> Option<Ended> {
        let reasons = [
            (limits.stop.load(Ordering::Relaxed), Ended::Stopped),
            (start.elapsed() >= limits.time, Ended::Time),
            (tried >= limits.candidates, Ended::Candidates),
            (stale >= limits.stale, Ended::Stale),
        ];
        reasons.into_iter().find(|(over, _)| *over).map(|(_, ended)| ended)
    }

    fn keep(&self, front: &Front) -> Result<(), Error> {
        self.store.as_ref().map_or(Ok(()), |store| store.merge(&self.key, front))
    }
}

/// The worker of a search, started when it is needed.
pub(super) struct Worker<'a> {
    tuning: &'a Tuning,
    limits: &'a Limits,
    launcher: Launcher,
    child: Option<Child>,
    deadline: Instant,
}

impl<'a> Worker<'a> {
    pub fn new(tuning: &'a Tuning, limits: &'a Limits) -> Result<Worker<'a>, Error> {
        let launcher = limits.worker.clone().map_or_else(Launcher::this, Ok)?;
        Ok(Worker { tuning, limits, launcher, child: None, deadline: Instant::now() + limits.time })
    }

    /// Has it ready before its time counts.
    pub fn start(&mut self) -> Result<(), Error> {
        self.child = self.ready()?;
        self.deadline = Instant::now() + self.limits.time;
        Ok(())
    }

    pub fn begin(&mut self, task: &Task) -> Result<(), Error> {
        if self.child.is_none() {
            self.child = self.ready()?;
        }
        if let Some(child) = &mut self.child {
            child.send(task);
        }
        Ok(())
    }

    /// How it did; `None` if the search was over before that was known.
    pub fn finish(&mut self) -> Result<Option<Trial>, Error> {
        let stopped = self.stopped();
        let Some(child) = &mut self.child else { return Ok(None) };
        let start = Instant::now();
        let own = start + self.limits.candidate_time;
        let silence = match child.receive(own.min(self.deadline), &stopped) {
            Ok(Reply::Done(trial)) => return Ok(Some(trial)),
            Ok(Reply::Failed(reason)) => return Err(Error::WorkerLost(reason)),
            Ok(Reply::Ready) => return Err(Error::WorkerLost("it answers what it was not asked".into())),
            Err(silence) => silence,
        };
        self.child = None;
        let ended = |outcome| {
            Some(Trial { outcome, stages: Stages { running: start.elapsed(), ..Stages::default() } })
        };
        Ok(match silence {
            Silence::Late if own > self.deadline => None,
            Silence::Late => ended(Outcome::Late),
            Silence::Died(how) => ended(Outcome::Crashed(how)),
            Silence::Stopped => None,
        })
    }

    /// A worker that has its device and its reference; `None` if the search was stopped.
    fn ready(&self) -> Result<Option<Child>, Error> {
        let Tuning { program, device, .. } = self.tuning;
        let task = Task::Start {
            program: serde_json::to_string(program).map_err(|error| Error::WorkerLost(error.to_string()))?,
            sizes: self.tuning.sizes().0.iter().map(|(_, value)| *value).collect(),
            device: [device.to_string(), device.version()],
            compiler: device.settings().compiler.clone(),
            seed: self.limits.seed,
        };
        let mut how = String::new();
        for _ in 0..STARTS {
            let mut child = self.launcher.start()?;
            child.send(&task);
            match child.receive(Instant::now() + START, &self.stopped()) {
                Ok(Reply::Ready) => return Ok(Some(child)),
                Ok(Reply::Failed(reason)) => return Err(Error::WorkerLost(reason)),
                Ok(Reply::Done(_)) => how = "it answers what it was not asked".into(),
                Err(Silence::Stopped) => return Ok(None),
                Err(Silence::Late) => how = "it does not start".into(),
                Err(Silence::Died(why)) => how = why,
            }
        }
        Err(Error::WorkerLost(how))
    }

    fn stopped(&self) -> impl Fn() -> bool + 'static {
        let stop = self.limits.stop.clone();
        move || stop.load(Ordering::Relaxed)
    }
}
