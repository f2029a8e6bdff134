//! The workers of a search. Several build their candidates at the same time, one for each core, four at most; then
//! each is timed alone.
//!
//! Building takes most of a candidate's time and keeps one core busy, while a kernel on a processor wants
//! all of them, and whatever else runs makes it look slower than it is. So candidates go through a search in
//! rounds: all workers build and check one each, meanwhile the next round is chosen, and only when nobody
//! builds any more are they timed, one after the other, each in turn with the fastest so far (see `pace`).

use super::child::{Child, Silence};
use super::folder;
use super::message::{Reply, Task};
use super::{Launcher, Limits, Outcome, Stages, Trial, Tuning};
use crate::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Starting takes a reference result and a driver's start.
const START: Duration = Duration::from_secs(300);

/// A worker that ends this many times before its first answer is given up.
const STARTS: usize = 3;

const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The workers of a search, and when their time is up.
pub struct Crew<'a> {
    limits: &'a Limits,
    launcher: Launcher,
    /// The first line that each worker is sent.
    task: String,
    /// Processes that were started and have not answered yet.
    starting: Vec<Child>,
    members: Vec<Member>,
    /// Was any worker ever ready?
    begun: bool,
    /// When a worker was last given something.
    since: Instant,
    /// When the search is over.
    deadline: Instant,
}

/// One worker.
#[derive(Default)]
struct Member {
    /// Its process, unless that was ended.
    child: Option<Child>,
    /// The time that its candidate has taken so far.
    stages: Stages,
}

impl<'a> Crew<'a> {
    /// Starts the workers; they get ready while something else is done.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a program that can't be started.
    pub fn new(tuning: &Tuning, limits: &'a Limits, workers: usize) -> Result<Crew<'a>, Error> {
        let since = Instant::now();
        let workers = workers.max(1);
        folder::sweep(&tempfile::env::temp_dir());
        let mut crew = Crew {
            limits,
            launcher: limits.worker.clone().map_or_else(Launcher::this, Ok)?,
            task: Task::start(&tuning.program, tuning.sizes(), &tuning.device, limits)?.line(),
            starting: vec![],
            members: (0..workers).map(|_| Member::default()).collect(),
            begun: false,
            since,
            deadline: after(since, limits.time),
        };
        for _ in 0..workers {
            match crew.start() {
                Ok(child) => crew.starting.push(child),
                Err(error) if crew.starting.is_empty() => return Err(error),
                // There is no room for more of them; what that means is found out when they are needed.
                Err(error) => {
                    log::debug!("{error}");
                    break;
                }
            }
        }
        Ok(crew)
    }

    /// How many candidates can be given at once, at most.
    pub fn size(&self) -> usize {
        self.members.len()
    }

    /// Makes all workers ready before time counts, and returns when the search has to end.
    ///
    /// # Errors
    /// No worker starts.
    pub fn begin(&mut self) -> Result<Instant, Error> {
        self.have(self.size())?;
        self.deadline = after(Instant::now(), self.limits.time);
        Ok(self.deadline)
    }

    /// Gives each worker a candidate to build and check, and returns how many were given: a worker may have
    /// been lost, and not started again.
    ///
    /// # Errors
    /// No worker starts.
    pub fn prepare(&mut self, tasks: &[Task]) -> Result<usize, Error> {
        self.have(tasks.len())?;
        for (task, member) in tasks.iter().zip(&self.members) {
            if let Some(child) = &member.child {
                child.send(task.line());
            }
        }
        self.since = Instant::now();
        Ok(tasks.len().min(self.size()))
    }

    /// Waits until none of the first `count` workers builds any more. A candidate that will not be
    /// timed has its trial in the answer.
    ///
    /// # Errors
    /// An answer that belongs to something else.
    pub fn prepared(&mut self, count: usize) -> Result<Vec<Option<Trial>>, Error> {
        (0..count)
            .map(|k| match self.answer(k) {
                None => Ok(None),
                Some(Reply::Prepared(stages)) => {
                    self.members[k].stages = stages;
                    Ok(None)
                }
                Some(Reply::Done(trial)) => {
                    // Built, and it does not run: a device may be of no use to a process after that.
                    if matches!(trial.outcome, Outcome::Refused(_)) && trial.stages.running > Duration::ZERO {
                        self.members[k].child = None;
                    }
                    Ok(Some(trial))
                }
                Some(other) => Err(lost(other)),
            })
            .collect()
    }

    /// Times what a worker has built, or keeps, for a moment; `None` if the search is over.
    ///
    /// # Errors
    /// An answer that belongs to something else.
    pub fn moment(&mut self, k: usize, kept: bool) -> Result<Option<Trial>, Error> {
        if self.stopped() {
            return Ok(None);
        }
        match self.ask(k, &Task::Time { kept }) {
            None if self.stopped() || Instant::now() >= self.deadline => Ok(None),
            None => {
                let outcome = Outcome::Crashed("the process that had built it ended".into());
                Ok(Some(Trial { outcome, stages: Stages::default() }))
            }
            Some(Reply::Done(trial)) => Ok(Some(trial)),
            Some(other) => Err(lost(other)),
        }
    }

    /// Gives a worker a task that it only has to confirm. False if it has gone.
    ///
    /// # Errors
    /// An answer that belongs to something else.
    pub fn told(&mut self, k: usize, task: &Task) -> Result<bool, Error> {
        match self.ask(k, task) {
            Some(Reply::Kept) => Ok(true),
            None | Some(Reply::Done(_)) => Ok(false),
            Some(other) => Err(lost(other)),
        }
    }

    /// The process id of a worker, if it is running.
    pub fn process(&self, k: usize) -> Option<u32> {
        self.members[k].child.as_ref().map(Child::id)
    }

    /// The worker with this process id.
    pub fn of_process(&self, number: u32) -> Option<usize> {
        (0..self.size()).find(|k| self.process(*k) == Some(number))
    }

    /// The time that a worker took to build its candidate.
    pub fn stages(&self, k: usize) -> Stages {
        self.members[k].stages
    }

    /// Has a candidate taken half of its time since then? Then it is not timed again.
    pub fn enough(&self, since: Instant) -> bool {
        since.elapsed() > self.limits.candidate_time / 2
    }

    fn ask(&mut self, k: usize, task: &Task) -> Option<Reply> {
        self.members[k].child.as_ref()?.send(task.line());
        self.since = Instant::now();
        self.answer(k)
    }

    /// The answer of a worker; `None` if the search is over. A worker that does not answer is ended, and
    /// another is started when it is needed.
    fn answer(&mut self, k: usize) -> Option<Reply> {
        let stop = self.limits.stop.clone();
        let until = after(self.since, self.limits.candidate_time);
        let child = self.members[k].child.as_mut()?;
        let silence = match child.receive(until.min(self.deadline), &|| stop.load(Ordering::Relaxed)) {
            Ok(reply) => return Some(reply),
            Err(silence) => silence,
        };
        self.members[k].child = None;
        let stages = Stages { running: self.since.elapsed(), ..Stages::default() };
        let ended = |outcome| Some(Reply::Done(Trial { outcome, stages }));
        match silence {
            Silence::Late if until > self.deadline => None,
            Silence::Late => ended(Outcome::Late),
            Silence::Died(how) => ended(Outcome::Crashed(how)),
            Silence::Stopped => None,
        }
    }

    /// Makes `count` workers ready; fewer if the search was stopped, or if there is no room for them.
    fn have(&mut self, count: usize) -> Result<(), Error> {
        let mut k = 0;
        while k < count.min(self.size()) {
            if self.members[k].child.is_none() {
                match self.ready() {
                    Ok(child) => self.members[k].child = child,
                    Err(error) if self.members.iter().any(|member| member.child.is_some()) => {
                        log::warn!("one worker less: {error}");
                        self.members.remove(k);
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            k += 1;
        }
        Ok(())
    }

    fn start(&self) -> Result<Child, Error> {
        let child = self.launcher.start()?;
        child.send(self.task.clone());
        Ok(child)
    }

    /// A worker that has its device and its reference; `None` if the search was stopped.
    fn ready(&mut self) -> Result<Option<Child>, Error> {
        let stop = self.limits.stop.clone();
        let mut how = String::new();
        for _ in 0..STARTS.max(self.starting.len()) {
            let mut child = self.starting.pop().map_or_else(|| self.start(), Ok)?;
            match child.receive(Instant::now() + START, &|| stop.load(Ordering::Relaxed)) {
                Ok(Reply::Ready) => {
                    self.begun = true;
                    return Ok(Some(child));
                }
                // There may be no memory for it as long as others run. If there are none, it will say so again.
                Ok(Reply::Failed(why)) if self.begun || !self.starting.is_empty() => how = why,
                Ok(other) => return Err(lost(other)),
                Err(Silence::Stopped) => return Ok(None),
                Err(Silence::Late) => how = "it does not start in time".into(),
                Err(Silence::Died(why)) => how = why,
            }
        }
        Err(Error::WorkerLost(how))
    }

    fn stopped(&self) -> bool {
        self.limits.stop.load(Ordering::Relaxed)
    }
}

/// The moment `time` after `start`; a century later where there is no such moment.
pub fn after(start: Instant, time: Duration) -> Instant {
    start.checked_add(time).unwrap_or(start + CENTURY)
}

/// The error of an answer that ends everything.
fn lost(reply: Reply) -> Error {
    Error::WorkerLost(match reply {
        Reply::Failed(reason) => reason,
        _ => "it answers what it was not asked".into(),
    })
}
