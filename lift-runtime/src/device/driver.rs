//! The interface of a kind of device: what it says of itself, and how it builds and runs kernels.

use crate::there::{Operand, Place, Stored};
use crate::{Error, Settings};
use lift_core::kernel::{Memory, Plan};
use lift_core::target::Description;
use std::num::NonZeroUsize;
use std::ops::Index;
use std::time::Duration;

/// A device of some kind.
pub(crate) trait Driver: Send + Sync {
    /// What the vendor or this crate calls it.
    fn name(&self) -> String;
    /// The name, and whatever tells it apart from other devices.
    fn describe(&self) -> String;
    /// What kind of device it is.
    fn kind(&self) -> Kind;
    /// The version of its driver or compiler, which decides together with the device's name how fast kernels are.
    fn version(&self) -> String;
    /// What the device is, for the compiler; asked once.
    fn description(&self) -> Description;
    /// The settings that it was opened with.
    fn settings(&self) -> &Settings;
    /// Does this device answer to a name (in lower case) that a user gave?
    fn answers(&self, wanted: &str) -> bool;
    /// Builds the plan's kernels. The plan fits the signature.
    ///
    /// # Safety
    /// The kernels' indices are in bounds of the plan's buffers.
    unsafe fn load(&self, plan: &Plan, memory: &Memory) -> Result<Box<dyn Loaded>, Error>;
    /// Memory for an array of so many bytes, with anything in it.
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Stored>, Error>;
    /// How many arrays were copied between the host and the device so far.
    fn copies(&self) -> usize;
}

/// The arguments of a run, in the order of the signature. Those without dimensions are on the host.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    pub(crate) operands: &'a [Operand<'a>],
    /// The fingerprint of the `const` ones, where it is known that these never change.
    pub(crate) constants: Option<blake3::Hash>,
}

impl<'a> Arguments<'a> {
    /// The bytes of a number.
    pub(crate) fn scalar(&self, n: usize) -> &'a [u8] {
        self.operands[n].host().unwrap_or_default()
    }
}

impl<'a> Index<usize> for Arguments<'a> {
    type Output = Operand<'a>;

    fn index(&self, n: usize) -> &Operand<'a> {
        &self.operands[n]
    }
}

/// How long each launch took, if it was carried out and timed.
pub(crate) type Taken = Vec<Option<Duration>>;

/// Are the times of launches wanted? To take them costs time, too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    Each,
    None,
}

/// Kernels ready to run.
pub(crate) trait Loaded: Send + Sync {
    /// Runs every launch and answers with their times if they are wanted, none for those that prepare and need not be
    /// repeated. Arguments and outputs have the number, types and shapes of the signature, and the arrays of a device among them
    /// are on this one. Host memory is read and written when this returns; where all outputs are on the device and no times are
    /// wanted, kernels may still run then. Whatever reads their results waits for them.
    fn run(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        timing: Timing,
    ) -> Result<Taken, Error>;
    /// Runs once, and then so often again, without a wait in between, what does not prepare; answers with the time that the device takes
    /// for all but the first run.
    fn repeat(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        runs: NonZeroUsize,
    ) -> Result<Duration, Error>;
    /// Bytes that are allocated for this program now.
    fn allocated(&self) -> usize;
    /// Bytes of this machine's memory, results on the host apart, that the next run allocates, if so many bytes of its arguments and
    /// results are arrays on the device.
    fn unallocated(&self, there: usize) -> usize;
    /// Fills what the next run is to write with bytes that are no number: what a kernel forgets
    /// to write can't be right by chance.
    fn spoil(&self, plan: &Plan) -> Result<(), Error>;
    /// Frees what is kept for the next run only.
    fn release(&self);
}

/// The two kinds of device, OpenCL's as its driver says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Kind {
    /// All cores of this machine, through its C compiler; needs no driver.
    BuiltIn,
    /// A graphics processor, through OpenCL.
    Gpu,
    /// The processor, through OpenCL.
    Cpu,
    /// Any other OpenCL device.
    Accelerator,
}
