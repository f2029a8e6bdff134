//! The course of a search: gives candidates to workers, and keeps the ones that are right.

use super::crew::Crew;
use super::message::Task;
use super::turns::{CERTAIN, MOMENTS, Turns};
use super::{Choice, Ended, Found, Front, Limits, Outcome, Progress, Report, Search, Trial, Tuning};
use crate::Error;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The part of the time that is kept for timing the best again, and the most of it.
const AGAIN: u32 = 8;
const MOST_AGAIN: Duration = Duration::from_secs(10);

/// Candidates that are compared again at the end, at most.
const FEW: usize = 10;
/// How many times as long as the fastest a candidate may take to be compared again.
const NEAR: f64 = 1.1;

/// A search on its way.
struct Course<'a> {
    tuning: &'a Tuning,
    limits: &'a Limits,
    crew: Turns<'a>,
    search: Search,
    report: Report,
    /// Why the last was none that could be timed.
    reason: String,
}

impl Tuning {
    /// The same search for the program in one part, or with what was found for its parts.
    pub(super) fn search_as_one(
        &self,
        limits: &Limits,
        told: &mut dyn FnMut(&Progress),
    ) -> Result<Report, Error> {
        let crew = Turns::new(Crew::new(self, limits, limits.workers.min(limits.candidates))?);
        let (search, reason) = (self.candidates(limits.seed), String::from("none was tried"));
        let mut course = Course { tuning: self, limits, crew, search, report: Report::default(), reason };
        let explored = course.explore(told);
        course.ended(explored)
    }
}

impl Course<'_> {
    /// Tries one candidate after the other until the search is over, and then the best again.
    fn explore(&mut self, told: &mut dyn FnMut(&Progress)) -> Result<(), Error> {
        let limits = self.limits;
        // While the workers start.
        let mut next = self.search.some(self.crew.size());
        let end = self.crew.begin()?;
        let start = Instant::now();
        let deadline = end - (limits.time / AGAIN).min(MOST_AGAIN);
        let mut stale = 0;
        while !next.is_empty() {
            if let Some(ended) = self.over(deadline, stale) {
                self.report.ended = ended;
                break;
            }
            let mut round = std::mem::take(&mut next);
            let given = self.crew.prepare(self.tasks(&round)?)?;
            next = round.split_off(given);
            // This is work as well: it is done while nothing is timed.
            next.extend(self.search.some(self.room(round.len() + next.len())));
            let mut early = self.crew.prepared()?;
            for (k, choice) in round.iter().enumerate() {
                let best = self.report.front.best().map(|f| f.time);
                let trial = match early[k].take() {
                    Some(trial) => Some(trial),
                    None => self.crew.time(k, MOMENTS)?,
                };
                // The search was over before that.
                let Some(Trial { outcome, .. }) = trial else { break };
                stale += 1;
                if let Outcome::Measured { time, .. } = &outcome
                    && best.is_none_or(|best| *time < best)
                {
                    stale = 0;
                }
                self.report.tried += 1;
                self.report.count(choice, &outcome);
                self.learn(choice, &outcome);
                let (tried, best) = (self.report.tried, self.report.front.best());
                let failed = self.report.failed() + self.search.refused().count();
                told(&Progress {
                    part: None,
                    tried,
                    elapsed: start.elapsed(),
                    choice,
                    outcome: &outcome,
                    best,
                    failed,
                });
            }
            if next.is_empty() {
                next = self.search.some(self.room(0));
            }
        }
        if self.report.ended == Ended::Exhausted
            && let Some(ended) = self.over(deadline, stale)
        {
            self.report.ended = ended;
        }
        if self.report.ended == Ended::Stopped { Ok(()) } else { self.again(end) }
    }

    /// How many more candidates may be started, when `on_their_way` are being built or timed.
    fn room(&self, on_their_way: usize) -> usize {
        let left = self.limits.candidates.saturating_sub(self.report.tried + on_their_way);
        self.crew.size().min(left)
    }

    /// Keeps a candidate that was measured, and drops earlier measurements of one that is not right.
    fn learn(&mut self, choice: &Choice, outcome: &Outcome) {
        let Tuning { program, device, .. } = self.tuning;
        match outcome {
            Outcome::Measured { time, bytes } => {
                let found = Found { choice: choice.clone(), time: *time, bytes: *bytes };
                self.search.learn(&found);
                if self.report.front.insert(found) {
                    self.keep();
                }
                return;
            }
            Outcome::Wrong(why) => {
                log::warn!("{} by `{choice}` on {device}: {why}", program.name());
                self.tuning.disown(choice, why);
                self.reason = why.clone();
            }
            Outcome::Refused(why) | Outcome::Crashed(why) => self.reason = why.clone(),
            Outcome::Late => self.reason = "it took too long".into(),
        }
        self.search.fail(choice);
    }

    /// Compares the candidates again that came near the fastest, for among many some do so by chance, until the fastest is
    /// one that was built, found right and timed twice.
    fn again(&mut self, end: Instant) -> Result<(), Error> {
        let mut compared: Vec<Choice> = vec![];
        loop {
            let mut few = self.near_the_fastest(&compared);
            if few.is_empty() {
                return Ok(());
            }
            compared.extend(few.iter().cloned());
            while !few.is_empty() {
                if Instant::now() >= end || !self.compare(&mut few)? {
                    return Ok(());
                }
            }
        }
    }

    /// What may be as fast as the fastest, if that is not among what was compared.
    fn near_the_fastest(&self, compared: &[Choice]) -> Vec<Choice> {
        let fastest = self.search.fastest();
        let Some(best) = fastest.first().filter(|best| !compared.contains(&best.choice)) else {
            return vec![];
        };
        let near = fastest.iter().take(FEW).take_while(|f| f.time <= best.time.mul_f64(NEAR));
        near.map(|f| f.choice.clone()).filter(|choice| !compared.contains(choice)).collect()
    }

    /// Builds as many as there are workers, and times them again. `false` if the search was over before.
    fn compare(&mut self, few: &mut Vec<Choice>) -> Result<bool, Error> {
        let most = few.len().min(self.crew.size());
        let given = self.crew.prepare(self.tasks(&few[..most])?)?;
        let early = self.crew.prepared()?;
        for (k, (choice, early)) in few.drain(..given).zip(early).enumerate() {
            let trial = match early {
                Some(trial) => trial,
                None => match self.crew.time(k, CERTAIN)? {
                    Some(trial) => trial,
                    None => return Ok(false),
                },
            };
            match trial.outcome {
                Outcome::Measured { time, bytes } => self.search.correct(Found { choice, time, bytes }),
                outcome => {
                    self.report.recount(&choice, &outcome);
                    self.learn(&choice, &outcome);
                }
            }
        }
        Ok(true)
    }

    fn tasks(&self, choices: &[Choice]) -> Result<Vec<Task>, Error> {
        choices.iter().map(|choice| self.tuning.forms.task(choice)).collect()
    }

    /// Writes the front into the store, where what did not do any more makes room.
    fn keep(&mut self) {
        let (Tuning { store, key, .. }, front) = (self.tuning, &self.report.front);
        let settled = store.as_ref().map_or(Ok(()), |s| s.settle(key, &self.search.tried(), front));
        self.report.unsaved = settled.err();
    }

    /// What was found, with the times as they are judged in the end.
    fn ended(mut self, explored: Result<(), Error>) -> Result<Report, Error> {
        let fastest = self.search.fastest();
        self.report.front = fastest.iter().cloned().collect::<Front>().scaled(self.crew.pace());
        self.report.not_generated = self.search.refused().count();
        self.report.failures.extend(self.search.refused());
        self.report.not_applicable = self.search.not_applicable();
        if self.report.front.is_empty() {
            explored?;
            let tried = self.report.tried > 0 || self.report.ended == Ended::Exhausted;
            if tried && self.report.ended != Ended::Stopped {
                let (program, device) = (self.tuning.program.name().into(), self.tuning.device.to_string());
                return Err(Error::NoCandidate { program, device, reason: self.reason });
            }
            return Ok(self.report);
        }
        if let Err(error) = explored {
            self.report.ended = Ended::Lost(error.to_string());
        }
        self.keep();
        self.tuning.mark(&self.report.front);
        Ok(self.report)
    }

    fn over(&self, deadline: Instant, stale: usize) -> Option<Ended> {
        let Limits { stop, candidates, stale: most, .. } = self.limits;
        let reasons = [
            (stop.load(Ordering::Relaxed), Ended::Stopped),
            (Instant::now() >= deadline, Ended::Time),
            (self.report.tried >= *candidates, Ended::Candidates),
            (stale >= *most, Ended::Stale),
        ];
        reasons.into_iter().find(|(over, _)| *over).map(|(_, ended)| ended)
    }
}
