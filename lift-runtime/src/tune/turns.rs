//! Candidates and the fastest so far, timed in turn.
//!
//! The fastest stays built in the worker that timed it. In each of a few moments it is timed first, and then the
//! candidate. [`Pace`] learns from that how fast the machine is just now, and so what the candidate's time counts as.

use super::crew::Crew;
use super::message::Task;
use super::pace::Pace;
use super::{Outcome, Trial};
use crate::Error;
use std::time::{Duration, Instant};

/// Moments in which a candidate and the fastest so far are timed in turn.
pub const MOMENTS: usize = 3;
/// A candidate that takes this many times as long as the fastest is not timed any further; twice that after one moment.
const FAR: f64 = 1.5;

/// Moments where it must be certain which is faster: of many candidates one seems so by chance.
pub const CERTAIN: usize = 10;

/// A candidate becomes the fastest if it takes no more than this share of the fastest's time: one that is
/// hardly faster may be so by chance, and chances add up.
const MARGIN: f64 = 0.97;

/// A crew that times its candidates in turn with the fastest so far.
pub struct Turns<'a> {
    crew: Crew<'a>,
    /// The candidate that each worker was told to build.
    tasks: Vec<Task>,
    /// The fastest candidate so far.
    fastest: Option<Fastest>,
    /// The pace of the machine, as its times show it.
    pace: Pace,
}

/// The fastest candidate so far, kept built to be timed beside others.
struct Fastest {
    /// The number of the process that keeps it, built.
    keeper: Option<u32>,
    /// The time that it counts as.
    time: Duration,
    /// How to build it again.
    task: Task,
}

impl<'a> Turns<'a> {
    /// Turns over these workers; nothing is known of the machine yet.
    pub fn new(crew: Crew<'a>) -> Turns<'a> {
        Turns { crew, tasks: vec![], fastest: None, pace: Pace::default() }
    }

    /// How many candidates can be given at once.
    pub fn size(&self) -> usize {
        self.crew.size()
    }

    /// Makes all workers ready before time counts, and returns when the search has to end.
    ///
    /// # Errors
    /// No worker starts.
    pub fn begin(&mut self) -> Result<Instant, Error> {
        self.crew.begin()
    }

    /// Gives each worker a candidate to build and check, and returns how many were given.
    ///
    /// # Errors
    /// No worker starts.
    pub fn prepare(&mut self, tasks: Vec<Task>) -> Result<usize, Error> {
        self.recover()?;
        let given = self.crew.prepare(&tasks)?;
        self.tasks = tasks;
        self.tasks.truncate(given);
        Ok(given)
    }

    /// Waits until no worker builds any more. A candidate that will not be timed has its trial in the answer.
    ///
    /// # Errors
    /// An answer that belongs to something else.
    pub fn prepared(&mut self) -> Result<Vec<Option<Trial>>, Error> {
        self.crew.prepared(self.tasks.len())
    }

    /// Times a worker's candidate in this many moments, in more if it seems to be the fastest, and keeps
    /// it built if it is. The time in the trial is the one that counts, to be compared with others. `None`
    /// if the search was over before.
    ///
    /// # Errors
    /// An answer that belongs to something else.
    pub fn time(&mut self, k: usize, moments: usize) -> Result<Option<Trial>, Error> {
        let start = Instant::now();
        let mut stages = self.crew.stages(k);
        let (mut shortest, mut taken, mut ratios) = (Duration::MAX, 0, vec![]);
        for moment in 1.. {
            let beside = self.beside()?;
            let Some(trial) = self.crew.moment(k, false)? else { return Ok(None) };
            stages.running += trial.stages.running;
            let Outcome::Measured { time, bytes } = trial.outcome else {
                return Ok(Some(Trial { stages, ..trial }));
            };
            (shortest, taken) = (shortest.min(time), bytes);
            ratios.extend(beside.map(|beside| time.as_secs_f64() / beside.as_secs_f64()));
            let ratio = median(&ratios);
            let wanted = if ratio.is_some_and(|r| r < MARGIN) { CERTAIN } else { moments };
            // A single moment may be a bad one.
            let far = if moment == 1 { 2.0 * FAR } else { FAR };
            if moment >= wanted || ratio.is_some_and(|r| r > far) || self.crew.enough(start) {
                break;
            }
        }
        let time = match (&self.fastest, median(&ratios)) {
            (Some(fastest), Some(ratio)) => fastest.time.mul_f64(ratio),
            // It is the first, or the fastest was lost just now.
            _ => self.pace.counted(shortest),
        };
        let faster = |f: &Fastest| !ratios.is_empty() && time < f.time.mul_f64(MARGIN);
        if self.fastest.as_ref().is_none_or(faster) {
            self.keep(k, time)?;
            self.pace = Pace::of(shortest, time);
        }
        Ok(Some(Trial { outcome: Outcome::Measured { time, bytes: taken }, stages }))
    }

    /// The fastest so far, timed for a moment.
    fn beside(&mut self) -> Result<Option<Duration>, Error> {
        let Some(keeper) = self.keeper() else { return Ok(None) };
        let trial = self.crew.moment(keeper, true)?;
        match (trial.map(|trial| trial.outcome), &self.fastest) {
            (Some(Outcome::Measured { time, .. }), Some(fastest)) if time > Duration::ZERO => {
                self.pace.saw(time, fastest.time);
                Ok(Some(time))
            }
            // It has run many times and does not run now; it is built again for the next round.
            _ => self.lose().map(|()| None),
        }
    }

    /// The factor that turns a time that counts into the fastest's shortest time as it was taken.
    pub fn pace(&self) -> f64 {
        self.pace.least()
    }

    /// The worker that keeps the fastest so far.
    fn keeper(&self) -> Option<usize> {
        self.crew.of_process(self.fastest.as_ref()?.keeper?)
    }

    /// Has a worker keep the candidate that it has built. Only one is kept at a time.
    fn keep(&mut self, k: usize, time: Duration) -> Result<(), Error> {
        if self.keeper().is_some_and(|keeper| keeper != k) {
            self.lose()?;
        }
        let kept = self.crew.told(k, &Task::Keep)?;
        let keeper = self.crew.process(k).filter(|_| kept);
        self.fastest = Some(Fastest { keeper, time, task: self.tasks[k].clone() });
        Ok(())
    }

    /// Nobody keeps the fastest any more.
    fn lose(&mut self) -> Result<(), Error> {
        if let Some(keeper) = self.keeper() {
            self.crew.told(keeper, &Task::Drop)?;
        }
        self.fastest.iter_mut().for_each(|fastest| fastest.keeper = None);
        Ok(())
    }

    /// Where the worker that kept the fastest has gone, the first builds it again: without it nothing that is
    /// timed can be compared with what was timed before. If that does not work any more, something else is kept.
    fn recover(&mut self) -> Result<(), Error> {
        if self.keeper().is_some() {
            return Ok(());
        }
        let Some(Fastest { time, task, .. }) = self.fastest.take() else { return Ok(()) };
        self.crew.prepare(std::slice::from_ref(&task))?;
        let built = matches!(self.crew.prepared(1)?[..], [None]);
        if built && self.crew.told(0, &Task::Keep)? {
            let keeper = self.crew.process(0);
            self.fastest = Some(Fastest { keeper, time, task });
        }
        Ok(())
    }
}

/// The median: a moment in which one of the two was held up says nothing.
pub(crate) fn median(ratios: &[f64]) -> Option<f64> {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().saturating_sub(1) / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}
