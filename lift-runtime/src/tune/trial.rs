//! Candidates from outside a search: given to a worker one by one, checked and timed like those of a search.

use super::crew::Crew;
use super::message::Task;
use super::turns::{MOMENTS, Turns};
use super::{Choice, Limits, Trial, Tuning};
use crate::Error;
use lift_core::{Program, Sizes};

/// A worker for candidates of one's own; of the limits all matter but `candidates`, `stale` and `workers`.
pub struct Trials<'a> {
    tuning: &'a Tuning,
    crew: Turns<'a>,
}

impl Tuning {
    /// To try candidates in an order of one's own. Time counts from when the worker is ready.
    ///
    /// # Errors
    /// [`Error::NoWorker`]; a worker that does not start.
    pub fn trials<'a>(&'a self, limits: &'a Limits) -> Result<Trials<'a>, Error> {
        let mut crew = Turns::new(Crew::new(self, limits, 1)?);
        crew.begin()?;
        Ok(Trials { tuning: self, crew })
    }
}

impl Trials<'_> {
    /// A form of the program. Its time is one to compare with those of other candidates: each is timed in turn
    /// with the fastest so far, since machines are not equally fast at all times. One that takes much longer
    /// than that is not timed as often as others. `None` if it was stopped, or there was no time left.
    ///
    /// # Errors
    /// A form that there is not; a worker that does not start.
    pub fn choice(&mut self, choice: &Choice) -> Result<Option<Trial>, Error> {
        let task = self.tuning.forms.task(choice)?;
        self.give(task)
    }

    /// Any program with the same parameters and results, at all its sizes: one derived and placed by hand,
    /// say.
    ///
    /// # Errors
    /// As [`Trials::choice`].
    pub fn program(&mut self, program: &Program, sizes: &Sizes) -> Result<Option<Trial>, Error> {
        self.give(Task::prepare(&Choice::default(), program, sizes)?)
    }

    fn give(&mut self, task: Task) -> Result<Option<Trial>, Error> {
        self.crew.prepare(vec![task])?;
        match self.crew.prepared()?.pop().flatten() {
            Some(trial) => Ok(Some(trial)),
            None => self.crew.time(0, MOMENTS),
        }
    }
}
