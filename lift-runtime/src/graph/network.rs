//! A network that is built, and its runs.

use crate::tune::Choice;
use crate::{Argument, Compiled, Destination, DeviceOutput, Error, Output, Signature, Times};
use lift_core::SizeError;
use lift_core::kernel::{Memory, Plan};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// Nodes of a network that are computed together.
#[derive(Clone, Debug)]
pub struct Step {
    /// Their names.
    pub nodes: Vec<String>,
    /// The form that they have together.
    pub choice: Choice,
    /// The launches of the network's plan that compute them, those that only prepare weights included: none where others write
    /// right to their places what the nodes would put together.
    pub launches: Range<usize>,
}

/// A network built for one device at fixed sizes, with its weights: built once, run often, from any thread.
#[derive(Clone)]
pub struct Network {
    pub(super) compiled: Compiled,
    /// For each parameter its value, if it is constant.
    pub(super) constants: Vec<Option<Arc<Argument<'static>>>>,
    pub(super) steps: Vec<Step>,
}

impl Network {
    /// Runs the network: the inputs in the order in which the graph was given them; the outputs in theirs.
    ///
    /// # Errors
    /// As [`Compiled::run`].
    pub fn run(&self, inputs: &[Argument<'_>]) -> Result<Vec<Output>, Error> {
        self.compiled.run(&self.arguments(inputs)?)
    }

    /// Runs the network and leaves its outputs on the device, for further runs; inputs on the device are read where they are.
    ///
    /// # Errors
    /// As [`Compiled::run_there`].
    pub fn run_there(&self, inputs: &[Argument<'_>]) -> Result<Vec<DeviceOutput>, Error> {
        self.compiled.run_there(&self.arguments(inputs)?)
    }

    /// Runs the network, and says how long its kernels took.
    ///
    /// # Errors
    /// As [`Compiled::run_timed`].
    pub fn run_timed(&self, inputs: &[Argument<'_>]) -> Result<(Vec<Output>, Times), Error> {
        self.compiled.run_timed(&self.arguments(inputs)?)
    }

    /// Runs the network, its outputs written into arrays that the caller has.
    ///
    /// # Errors
    /// As [`Compiled::run_into`].
    pub fn run_into<'r>(
        &self,
        inputs: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
    ) -> Result<Times, Error> {
        self.compiled.run_into(&self.arguments(inputs)?, results)
    }

    /// How much of a run's time each step took, of [`Network::run_timed`]'s times.
    pub fn by_step(&self, times: &Times) -> Vec<Duration> {
        let prepares = &self.memory().prepares;
        let mut each = times.kernels.iter().map(|(_, time)| *time);
        let of_launch: Vec<Duration> = prepares
            .iter()
            .map(|prepares| if *prepares { Duration::ZERO } else { each.next().unwrap_or_default() })
            .collect();
        self.steps.iter().map(|step| of_launch[step.launches.clone()].iter().sum()).collect()
    }

    /// The groups of nodes that are computed together, in their order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The kernels, buffers and launches of the whole.
    pub fn plan(&self) -> &Plan {
        self.compiled.plan()
    }

    /// The device memory that a run takes, and for what.
    pub fn memory(&self) -> &Memory {
        self.compiled.memory()
    }

    /// Types and shapes of inputs, weights and outputs.
    pub fn signature(&self) -> &Signature {
        self.compiled.signature()
    }

    /// Inputs and constants in the order of the parameters.
    fn arguments<'a>(&'a self, inputs: &'a [Argument<'_>]) -> Result<Vec<Argument<'a>>, Error> {
        let expected = self.constants.iter().filter(|constant| constant.is_none()).count();
        if inputs.len() != expected {
            let (program, got) = (self.signature().program.clone(), inputs.len());
            return Err(SizeError::ArgumentCount { program, expected, got }.into());
        }
        let mut inputs = inputs.iter();
        let one = |constant: &'a Option<Arc<Argument<'static>>>| match constant {
            Some(constant) => Some(constant.view()),
            None => inputs.next().map(Argument::view),
        };
        Ok(self.constants.iter().filter_map(one).collect())
    }
}
