//! One candidate: built, checked, timed.

use super::check::Reference;
use super::forms::Forms;
use super::{Choice, Outcome, Stages, Trial};
use crate::{Argument, Compiled, Device, Error, Signature, Times};
use lift_core::kernel::Plan;
use lift_core::{CompileError, Program, Sizes};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A program on a device, with arguments and what should come of them.
pub struct Bench {
    device: Device,
    forms: Arc<Forms>,
    signature: Signature,
    reference: Reference,
    arguments: Vec<Argument<'static>>,
    /// Changes what a candidate computed; how tests find out what happens to wrong results.
    pub fault: Fault,
}

/// Is given a candidate and the bytes of each of its results.
pub type Fault = fn(&Choice, &mut [u8]);

/// Runs of a candidate: so many at least and at most, and until so much time has gone by.
const LEAST_RUNS: usize = 3;
const MOST_RUNS: usize = 15;
const ENOUGH: Duration = Duration::from_millis(150);

/// One that takes so much longer than the best is not run again.
const HOPELESS: u32 = 2;

impl Bench {
    /// # Errors
    /// Those of [`Reference::new`].
    pub fn new(program: &Program, sizes: &Sizes, device: &Device, seed: u64) -> Result<Bench, Error> {
        let reference = Reference::new(program, sizes, device, seed)?;
        let signature = Signature::new(program, &lift_core::pipeline::tuned(program, sizes)?)?;
        let arguments = reference.arguments(&signature);
        let forms = Arc::new(Forms::new(program, sizes));
        Ok(Bench { device: device.clone(), forms, signature, reference, arguments, fault: |_, _| {} })
    }

    /// Measures a choice beside the best time so far.
    pub fn measure(&self, choice: &Choice, best: Option<Duration>) -> Trial {
        self.attempt(choice, best, || self.forms.plan(choice))
    }

    /// Measures a program that is no choice.
    pub fn try_program(&self, program: &Program, sizes: &Sizes, best: Option<Duration>) -> Trial {
        self.attempt(&Choice::default(), best, || {
            let signature = Signature::new(program, sizes)?;
            if (&signature.parameters, &signature.results)
                != (&self.signature.parameters, &self.signature.results)
            {
                let message = "its parameters or results are other ones".into();
                let program = program.name().to_string();
                return Err(CompileError::Unsupported { program, message }.into());
            }
            Ok(lift_core::compile(program, sizes)?)
        })
    }

    /// A plan made, built, checked and timed.
    fn attempt(
        &self,
        choice: &Choice,
        best: Option<Duration>,
        plan: impl FnOnce() -> Result<Plan, Error>,
    ) -> Trial {
        let mut stages = Stages::default();
        let staged = || {
            let plan = took(&mut stages.generating, plan)?;
            let compiled = took(&mut stages.building, || self.forms.load(&self.device, plan))?;
            took(&mut stages.running, || self.run(&compiled, choice, best))
        };
        let outcome = staged().unwrap_or_else(|error| Outcome::Refused(error.to_string()));
        Trial { outcome, stages }
    }

    fn run(&self, compiled: &Compiled, choice: &Choice, best: Option<Duration>) -> Result<Outcome, Error> {
        let first = match self.checked(compiled, choice)? {
            Ok(times) => times.total(),
            Err(wrong) => return Ok(Outcome::Wrong(wrong)),
        };
        Ok(Outcome::Measured { time: self.timed(compiled, first, best)?, bytes: compiled.bytes() })
    }

    /// Are the results right? The times of a run that was also the first.
    pub fn checked(&self, compiled: &Compiled, choice: &Choice) -> Result<Result<Times, String>, Error> {
        let (mut outputs, times) = compiled.run_spoiled(&self.arguments)?;
        outputs.iter_mut().for_each(|output| (self.fault)(choice, output.bytes_mut()));
        Ok(self.reference.check(&outputs).map(|()| times))
    }

    /// The shortest run: whatever else the machine does makes runs longer, never shorter.
    fn timed(&self, compiled: &Compiled, first: Duration, best: Option<Duration>) -> Result<Duration, Error> {
        // The first run pays for more than the others.
        if best.is_some_and(|best| first > best * HOPELESS * 2) {
            return Ok(first);
        }
        let start = Instant::now();
        let mut times: Vec<Duration> = vec![];
        loop {
            let (_, time) = compiled.run_timed(&self.arguments)?;
            times.push(time.total());
            let shortest = times.iter().min().copied().unwrap_or_default();
            let hopeless = best.is_some_and(|best| shortest > best * HOPELESS);
            let enough = times.len() >= LEAST_RUNS && start.elapsed() >= ENOUGH;
            if hopeless || enough || times.len() == MOST_RUNS {
                return Ok(shortest);
            }
        }
    }
}

/// What something makes, and how long that took.
fn took<T>(time: &mut Duration, make: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = make();
    *time = start.elapsed();
    made
}
