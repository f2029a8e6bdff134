//! The reports of a search: how far it is, and its results.

use super::{Choice, Failures, Found, Front, Outcome};
use crate::Error;
use lift_core::schedules::NotApplicable;
use std::fmt;
use std::time::Duration;

/// Told after each candidate.
#[derive(Debug)]
pub struct Progress<'a> {
    /// The part of the program that is searched by itself, if it is not the whole: counted from 1 in the order in which the
    /// parts are computed. Of equal parts it is the first.
    pub part: Option<usize>,
    /// Candidates so far.
    pub tried: usize,
    /// Since the search began.
    pub elapsed: Duration,
    /// The candidate that was tried last.
    pub choice: &'a Choice,
    /// What came of it.
    pub outcome: &'a Outcome,
    /// The fastest so far.
    pub best: Option<&'a Found>,
    /// Candidates so far that could not be timed, those of which no kernels could be made among them.
    pub failed: usize,
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(part) = self.part {
            write!(f, "part {part}: ")?;
        }
        write!(f, "{} tried", self.tried)?;
        if self.failed > 0 {
            write!(f, ", {} failed", self.failed)?;
        }
        match self.best {
            Some(best) => write!(f, ", best {:.3} ms: {}", best.time.as_secs_f64() * 1e3, best.choice),
            None => Ok(()),
        }
    }
}

/// Why a search ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Ended {
    /// [`Limits::time`](super::Limits::time) is over.
    Time,
    /// [`Limits::candidates`](super::Limits::candidates) were tried.
    Candidates,
    /// [`Limits::stale`](super::Limits::stale) candidates in a row were no better than the best.
    Stale,
    /// Everything was tried.
    #[default]
    Exhausted,
    /// [`Limits::stop`](super::Limits::stop) was set.
    Stopped,
    /// A worker could not be started again, for this reason. What was found before is kept.
    Lost(String),
}

/// What a search found.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// The candidates that are right and that no other beats in both time and memory, with those known before.
    pub front: Front,
    /// Why the search ended.
    pub ended: Ended,
    /// Candidates that were given to a worker.
    pub tried: usize,
    /// Those of them that were right and timed.
    pub measured: usize,
    /// Candidates whose results were not the program's.
    pub wrong: usize,
    /// Candidates that the device, its compiler or its memory refused.
    pub refused: usize,
    /// Candidates that the code generator refused, and that were never tried: a constraint that is too weak.
    pub not_generated: usize,
    /// Candidates that took longer than [`Limits::candidate_time`](super::Limits::candidate_time).
    pub late: usize,
    /// Candidates that ended the process they ran in.
    pub crashed: usize,
    /// Why candidates were refused, wrong or crashed, by reason.
    pub failures: Failures,
    /// The schedules of which there was nothing to try, each with why.
    pub not_applicable: Vec<NotApplicable>,
    /// Why what was found could not be kept.
    pub unsaved: Option<Error>,
    /// Of a program of several parts, what was found before for each part that was searched, with the part's number as in
    /// [`Progress::part`]: all else here is about the whole.
    pub parts: Vec<(usize, Report)>,
}

impl Report {
    /// Candidates that could not be timed.
    pub(super) fn failed(&self) -> usize {
        self.wrong + self.refused + self.late + self.crashed
    }

    /// One more did so.
    pub(super) fn count(&mut self, choice: &Choice, outcome: &Outcome) {
        self.failures.learn(choice, outcome);
        let those = match outcome {
            Outcome::Measured { .. } => &mut self.measured,
            Outcome::Wrong(_) => &mut self.wrong,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::Late => &mut self.late,
            Outcome::Crashed(_) => &mut self.crashed,
        };
        *those += 1;
    }

    /// One that had been measured did so when it was tried again.
    pub(super) fn recount(&mut self, choice: &Choice, outcome: &Outcome) {
        self.measured -= 1;
        self.count(choice, outcome);
    }
}

/// Reasons that are told one by one; the others are counted.
const REASONS: usize = 5;

/// A line of numbers, and then one for each reason why candidates failed and each schedule that does not apply.
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
        }?;
        self.failures.iter().take(REASONS).try_for_each(|failure| write!(f, "\n  {failure}"))?;
        match self.failures.iter().skip(REASONS).map(|failure| failure.count).sum::<usize>() {
            0 => Ok(()),
            others => write!(f, "\n  {others} for other reasons"),
        }?;
        self.not_applicable.iter().try_for_each(|refusal| write!(f, "\n  {refusal}"))?;
        self.parts.iter().try_for_each(|(number, part)| write!(f, "\npart {number}: {part}"))
    }
}
