//! One candidate: built, checked, timed.

use super::check::Reference;
use super::excerpts::Source;
use super::{Choice, Outcome, Stages, Trial};
use crate::{Compiled, Device, Error, Output, Signature, host};
use lift_core::kernel::Plan;
use lift_core::types::Scalar;
use lift_core::{CompileError, Program, Sizes, cost};
use std::cell::RefCell;
use std::time::{Duration, Instant};

/// A program on a device, with arguments and the results that they should give. No part of the interface.
pub struct Bench {
    device: Device,
    reference: Reference,
    /// The candidate that is timed next.
    prepared: Option<Compiled>,
    /// The fastest candidate so far, if this process keeps it to be timed beside others.
    kept: Option<Compiled>,
    /// Where candidates that are timed write. Memory that is new for each would be handed out page by page while kernels
    /// write to it, which takes as long as a kernel that only moves data.
    outputs: RefCell<Option<Vec<Output>>>,
    /// Changes a candidate's kernels, with which tests find out what happens to wrong ones.
    pub fault: Fault,
}

/// A change of a candidate's kernels before they are built.
pub type Fault = fn(&Choice, &mut Plan);

/// Runs in one moment of timing, at most.
const RUNS: usize = 5;
/// A moment of timing ends when this time has gone by.
const ENOUGH: Duration = Duration::from_millis(40);

/// The same where a form is only glanced at.
const GLANCES: usize = 20;
const LONG_ENOUGH: Duration = Duration::from_millis(5);

/// Seconds by the model that hardly count beside the time to build a candidate.
const NO_TIME: f64 = 0.1;

impl Bench {
    /// # Errors
    /// As [`Reference::new`].
    pub fn new(program: &Program, sizes: &Sizes, device: &Device, seed: u64) -> Result<Bench, Error> {
        let signature = Signature::new(program, &lift_core::tune::choose::tuned(program, sizes)?)?;
        host::reserve(&format!("checking forms of `{}`", program.name()), wanted(&signature))?;
        let reference = Reference::new(program, sizes, device, seed)?;
        let (device, outputs) = (device.clone(), RefCell::new(None));
        Ok(Bench { device, reference, prepared: None, kept: None, outputs, fault: |_, _| {} })
    }

    /// A form of the program made, built and checked; `choice` names it. What was prepared before is freed.
    ///
    /// # Errors
    /// How it did, if it can't be timed.
    pub fn prepare(&mut self, choice: &Choice, program: &Program, sizes: &Sizes) -> Result<Stages, Trial> {
        self.prepared = None;
        let mut stages = Stages::default();
        let mut staged = || {
            let target = self.device.target();
            let made = || {
                Ok::<_, Error>((
                    self.signature_of(program, sizes)?,
                    lift_core::compile(program, sizes, target)?,
                ))
            };
            let (signature, mut plan) = took(&mut stages.generating, made)?;
            (self.fault)(choice, &mut plan);
            // SAFETY: the compiler makes plans whose indices are in bounds of their buffers; for what a fault
            // makes of them answers who calls `worker_with`.
            let load = || unsafe { self.device.load(plan, signature) };
            let compiled = took(&mut stages.building, load)?;
            let mut verdict = took(&mut stages.running, || self.checked(&compiled));
            // The candidate that is kept may take memory that this one needs.
            if matches!(verdict, Err(Error::OutOfMemory { .. })) && self.kept.take().is_some() {
                verdict = took(&mut stages.running, || self.checked(&compiled));
            }
            let verdict = verdict?;
            Ok(verdict.map(|()| compiled).map_err(Outcome::Wrong))
        };
        match staged().unwrap_or_else(|error: Error| Err(Outcome::Refused(error.to_string()))) {
            Ok(compiled) => {
                self.prepared = Some(compiled);
                Ok(stages)
            }
            Err(outcome) => Err(Trial { outcome, stages }),
        }
    }

    /// Of a program that has the parameters and results of the one that it is a form of.
    fn signature_of(&self, program: &Program, sizes: &Sizes) -> Result<Signature, Error> {
        let signature = Signature::new(program, sizes)?;
        if !signature.is_alike(&self.reference.source().signature) {
            let message = "its parameters or results are other ones".into();
            let program = program.name().to_string();
            return Err(CompileError::Unsupported { program, message }.into());
        }
        Ok(signature)
    }

    /// Keeps what was prepared, or nothing.
    pub fn keep(&mut self, prepared: bool) {
        self.kept = self.prepared.take_if(|_| prepared);
    }

    /// Times the prepared candidate, or the one that is kept, for a moment.
    pub fn time(&self, kept: bool) -> Trial {
        let mut stages = Stages::default();
        let refused = |reason: String| Outcome::Refused(reason);
        let outcome = match if kept { &self.kept } else { &self.prepared } {
            None => refused("there is nothing to time".into()),
            Some(compiled) => match took(&mut stages.running, || self.timed(compiled)) {
                Ok(time) => Outcome::Measured { time, bytes: compiled.bytes() },
                Err(error) => refused(error.to_string()),
            },
        };
        Trial { outcome, stages }
    }

    /// Are the results right?
    pub fn checked(&self, compiled: &Compiled) -> Result<Result<(), String>, Error> {
        if self.reference.is_alone()
            && let Some(plain) = self.plain()
        {
            // Whatever happens to it is no fault of the candidate's.
            match self.compared(&plain) {
                Ok(Ok(())) => {}
                Ok(Err(reason)) => log::warn!("the plain form: {reason}"),
                Err(error) => log::warn!("the plain form: {error}"),
            }
        }
        self.compared(compiled)
    }

    /// By the reference alone; how tests find out what it sees.
    ///
    /// # Errors
    /// The first element that is not right, in words.
    pub fn parts_of(&self, compiled: &Compiled) -> Result<(), String> {
        let outputs = compiled.run_spoiled(self.reference.arguments()).map_err(|e| e.to_string())?.0;
        self.reference.parts_of(&outputs)
    }

    /// How many operations the reference takes; for tests.
    ///
    /// # Errors
    /// Those of [`Reference::new`].
    pub fn operations(program: &Program, sizes: &Sizes) -> Result<f64, Error> {
        Reference::operations(program, sizes)
    }

    fn compared(&self, compiled: &Compiled) -> Result<Result<(), String>, Error> {
        let (outputs, _) = compiled.run_spoiled(self.reference.arguments())?;
        self.reference.check(outputs)
    }

    /// The program as it is, if the device runs that in no time: what all elements are compared with.
    fn plain(&self) -> Option<Compiled> {
        let Source { program, sizes, signature, .. } = self.reference.source();
        let plan = lift_core::compile(program, sizes, self.device.target()).ok()?;
        if cost::seconds(&plan, self.device.target()) > NO_TIME {
            return None;
        }
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        unsafe { self.device.load(plan, signature.clone()) }.ok()
    }

    /// How long it takes, roughly: of a form that is long enough to be told apart at once no more than one run.
    pub fn glance(&self, compiled: &Compiled) -> Result<Duration, Error> {
        self.shortest(compiled, GLANCES, LONG_ENOUGH)
    }

    /// The shortest run: whatever else the machine does makes runs longer, never shorter.
    fn timed(&self, compiled: &Compiled) -> Result<Duration, Error> {
        self.shortest(compiled, RUNS, ENOUGH)
    }

    /// The shortest of so many runs, or of those until so much time has gone by.
    fn shortest(&self, compiled: &Compiled, runs: usize, enough: Duration) -> Result<Duration, Error> {
        let arguments = self.reference.arguments();
        let mut outputs = match self.outputs.take() {
            Some(outputs) => outputs,
            None => compiled.run(arguments)?,
        };
        let (start, mut shortest) = (Instant::now(), Duration::MAX);
        for _ in 0..runs {
            shortest = shortest.min(compiled.run_into(arguments, &mut outputs)?.total());
            if start.elapsed() >= enough {
                break;
            }
        }
        self.outputs.replace(Some(outputs));
        Ok(shortest)
    }
}

/// Bytes for arguments and results, as they are and in 64 bits, and for the results of one candidate more: those to compare, and
/// those to write to again.
fn wanted(signature: &Signature) -> u128 {
    let bytes = |scalar: Scalar, shape: &[usize], copies: u128| {
        let each = copies * scalar.bytes() as u128 + 8;
        shape.iter().fold(each, |bytes, length| bytes.saturating_mul(*length as u128))
    };
    let parameters = signature.parameters.iter().map(|p| bytes(p.scalar, &p.shape, 1));
    let results = signature.results.iter().map(|(scalar, shape)| bytes(*scalar, shape, 2));
    parameters.chain(results).fold(0, u128::saturating_add)
}

/// The result of a function, and how long it took.
fn took<T>(time: &mut Duration, make: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = make();
    *time = start.elapsed();
    made
}
