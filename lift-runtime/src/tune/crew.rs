//! The workers of a search. Several build their candidates at the same time, one for each core; then
//! each is timed alone.
//!
//! Building takes most of a candidate's time and keeps one core busy, while a kernel on a processor wants
//! all of them, and whatever else runs makes it look slower than it is. So candidates go through a search in
//! rounds: all workers build and check one each, meanwhile the next round is chosen, and only when nobody
//! builds any more are they timed, one after the other.

use super::child::{Child, Launcher, Silence};
use super::message::{Reply, Task};
use super::{Limits, Outcome, Stages, Trial, Tuning};
use crate::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Starting takes a reference result and a driver's start.
const START: Duration = Duration::from_secs(300);

/// A worker that ends so often before it has answered once will not do better.
const STARTS: usize = 3;

pub struct Crew<'a> {
    limits: &'a Limits,
    launcher: Launcher,
    /// What each is told first.
    task: String,
    /// Started, and not yet heard of.
    starting: Vec<Child>,
    members: Vec<Option<Child>>,
    /// What each has done of its candidate.
    stages: Vec<Stages>,
    /// When they were last given something.
    since: Instant,
    /// When nobody waits for them any more.
    deadline: Instant,
}

impl<'a> Crew<'a> {
    /// Starts the workers; they get ready while something else is done.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a program that can't be started.
    pub fn new(tuning: &Tuning, limits: &'a Limits, workers: usize) -> Result<Crew<'a>, Error> {
        let since = Instant::now();
        let lost = |error: serde_json::Error| Error::WorkerLost(error.to_string());
        let Tuning { program, device, .. } = tuning;
        let task = Task::Start {
            program: serde_json::to_string(program).map_err(lost)?,
            sizes: tuning.sizes().0.iter().map(|(_, value)| *value).collect(),
            device: [device.to_string(), device.version()],
            compiler: device.settings().compiler.clone(),
            seed: limits.seed,
            memory: limits.memory,
        };
        let workers = workers.max(1);
        let mut crew = Crew {
            limits,
            launcher: limits.worker.clone().map_or_else(Launcher::this, Ok)?,
            task: task.line(),
            starting: vec![],
            members: (0..workers).map(|_| None).collect(),
            stages: vec![Stages::default(); workers],
            since,
            deadline: since + limits.time,
        };
        crew.starting = (0..workers).map(|_| crew.start()).collect::<Result<_, _>>()?;
        Ok(crew)
    }

    /// How many candidates can be given at once.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Has all workers ready before their time counts.
    ///
    /// # Errors
    /// A worker that does not start.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.have(self.size())?;
        self.deadline = Instant::now() + self.limits.time;
        Ok(())
    }

    /// Gives a candidate to each worker, to be built and checked.
    ///
    /// # Errors
    /// A worker that does not start.
    pub fn prepare(&mut self, tasks: &[Task]) -> Result<(), Error> {
        self.have(tasks.len())?;
        for (task, member) in tasks.iter().zip(&mut self.members) {
            if let Some(child) = member {
                child.send(&task.line());
            }
        }
        self.since = Instant::now();
        Ok(())
    }

    /// Waits until none of so many builds any more; how those did that will not be timed.
    ///
    /// # Errors
    /// An answer to something else.
    pub fn prepared(&mut self, count: usize) -> Result<Vec<Option<Trial>>, Error> {
        (0..count)
            .map(|k| match self.answer(k) {
                None => Ok(None),
                Some(Reply::Prepared(stages)) => {
                    self.stages[k] = stages;
                    Ok(None)
                }
                Some(Reply::Done(trial)) => Ok(Some(trial)),
                Some(other) => Err(lost(other)),
            })
            .collect()
    }

    /// Times what a worker has built, beside the best time so far; `None` if the search was over before.
    ///
    /// # Errors
    /// An answer to something else.
    pub fn time(&mut self, k: usize, best: Option<Duration>) -> Result<Option<Trial>, Error> {
        if self.stopped() {
            return Ok(None);
        }
        let Some(child) = &mut self.members[k] else { return Ok(None) };
        child.send(&Task::Time { best }.line());
        self.since = Instant::now();
        match self.answer(k) {
            None => Ok(None),
            Some(Reply::Done(Trial { outcome, stages })) => {
                let before = self.stages[k];
                let running = before.running + stages.running;
                Ok(Some(Trial { outcome, stages: Stages { running, ..before } }))
            }
            Some(other) => Err(lost(other)),
        }
    }

    /// What a worker says; `None` if nobody waits for it any more. One that does not answer is
    /// ended, and another is started when it is needed.
    fn answer(&mut self, k: usize) -> Option<Reply> {
        let stop = self.limits.stop.clone();
        let until = self.since + self.limits.candidate_time;
        let child = self.members[k].as_mut()?;
        let silence = match child.receive(until.min(self.deadline), &|| stop.load(Ordering::Relaxed)) {
            Ok(reply) => return Some(reply),
            Err(silence) => silence,
        };
        self.members[k] = None;
        let stages = Stages { running: self.since.elapsed(), ..Stages::default() };
        let ended = |outcome| Some(Reply::Done(Trial { outcome, stages }));
        match silence {
            Silence::Late if until > self.deadline => None,
            Silence::Late => ended(Outcome::Late),
            Silence::Died(how) => ended(Outcome::Crashed(how)),
            Silence::Stopped => None,
        }
    }

    /// Has so many workers ready; fewer if the search was stopped.
    fn have(&mut self, count: usize) -> Result<(), Error> {
        for k in 0..count {
            if self.members[k].is_none() {
                self.members[k] = self.ready()?;
            }
        }
        Ok(())
    }

    fn start(&self) -> Result<Child, Error> {
        let mut child = self.launcher.start()?;
        child.send(&self.task);
        Ok(child)
    }

    /// A worker that has its device and its reference; `None` if the search was stopped.
    fn ready(&mut self) -> Result<Option<Child>, Error> {
        let stop = self.limits.stop.clone();
        let mut how = String::new();
        for _ in 0..STARTS {
            let mut child = self.starting.pop().map_or_else(|| self.start(), Ok)?;
            match child.receive(Instant::now() + START, &|| stop.load(Ordering::Relaxed)) {
                Ok(Reply::Ready) => return Ok(Some(child)),
                Ok(other) => return Err(lost(other)),
                Err(Silence::Stopped) => return Ok(None),
                Err(Silence::Late) => how = "it does not start".into(),
                Err(Silence::Died(why)) => how = why,
            }
        }
        Err(Error::WorkerLost(how))
    }

    fn stopped(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed)
    }
}

/// Of an answer that ends everything.
fn lost(reply: Reply) -> Error {
    Error::WorkerLost(match reply {
        Reply::Failed(reason) => reason,
        _ => "it answers what it was not asked".into(),
    })
}
