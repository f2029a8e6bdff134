//! A program built for one device at fixed sizes.

use crate::argument::Dense;
use crate::built::Built;
use crate::device::driver::{Arguments, Timing};
use crate::signature::Signature;
use crate::there::{DeviceOutput, Operand, Place};
use crate::{Argument, Destination, Device, Error, Output, Times, destination, host};
use lift_core::Sizes;
use lift_core::kernel::{Memory, Plan, Role};
use lift_core::types::Scalar;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A program built for one device at fixed sizes: built once, run often, from any thread.
#[derive(Clone)]
pub struct Compiled {
    device: Device,
    built: Arc<Built>,
    /// The fingerprint of the `const` arguments, where they never change: those of a network are its own.
    constants: Option<blake3::Hash>,
}

impl Device {
    /// Builds a plan. Programs go through [`crate::compile`], which remembers what it built; this
    /// is for plans made otherwise.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] if plan and signature don't fit each other, and all that can go wrong in
    /// building.
    ///
    /// # Safety
    /// The kernels' indices must be in bounds of the plan's buffers.
    pub unsafe fn load(&self, plan: Plan, signature: Signature) -> Result<Compiled, Error> {
        // SAFETY: the caller's promise is the same.
        let built = unsafe { self.build(plan, signature) }?;
        Ok(Compiled::new(self.clone(), built))
    }
}

impl Compiled {
    pub(crate) fn new(device: Device, built: Arc<Built>) -> Compiled {
        Compiled { device, built, constants: None }
    }

    /// The same for one set of constants, which every run is given.
    pub(crate) fn with_constants(self, fingerprint: blake3::Hash) -> Compiled {
        Compiled { constants: Some(fingerprint), ..self }
    }

    /// Runs the program. Arrays may have any layout; one that is not in standard layout is copied. Those on the device are read
    /// where they are.
    ///
    /// Intermediate results that depend on `const` parameters alone are remembered together with their
    /// fingerprint, a cryptographic hash, and are computed again when the fingerprint is another: also if an
    /// array was changed in place, or another thread came with its own. For an array on the device the fingerprint is a number that
    /// it has as long as nothing is written over it: nothing is read, and a copy of it is another array.
    ///
    /// # Errors
    /// Arguments that don't have the number, types and shapes that the program has at its sizes, or are on another device;
    /// too little memory; an error of the driver.
    pub fn run(&self, arguments: &[Argument<'_>]) -> Result<Vec<Output>, Error> {
        self.with_operands(arguments, |operands| Ok(self.once(operands, Timing::None)?.0))
    }

    /// Runs the program and leaves its results on the device: arguments for further runs, there and on the host. Where all arguments
    /// are on the device, nothing is copied, and on an OpenCL device this returns when the kernels are on their way:
    /// what reads their results, a run or a download, comes after them by itself. [`DeviceOutput::wait`] waits for them without a copy.
    ///
    /// # Errors
    /// As [`Compiled::run`]. What goes wrong in kernels shows where their results are read.
    pub fn run_there(&self, arguments: &[Argument<'_>]) -> Result<Vec<DeviceOutput>, Error> {
        let Built { signature, .. } = &*self.built;
        self.with_operands(arguments, |operands| {
            self.with_room(|| {
                self.reserve(0, self.bytes_there(operands, |_| true))?;
                let array = |(scalar, shape): &(Scalar, Vec<usize>)| self.device.array(*scalar, shape);
                let mut results = signature.results.iter().map(array).collect::<Result<Vec<_>, Error>>()?;
                let allocate = |bytes| self.device.allocate(bytes);
                let places = results.iter_mut().map(|array| array.memory(allocate).map(Place::There));
                let mut places = places.collect::<Result<Vec<Place<'_>>, Error>>()?;
                self.launched(operands, &mut places, Timing::None)?;
                drop(places);
                Ok(results)
            })
        })
    }

    /// Runs the program and says how long its kernels took. The first time it runs twice, since the first run
    /// of a kernel also sets things up: code, pages, clocks.
    ///
    /// # Errors
    /// As [`Compiled::run`].
    pub fn run_timed(&self, arguments: &[Argument<'_>]) -> Result<(Vec<Output>, Times), Error> {
        self.with_operands(arguments, |operands| {
            let cold = match self.built.warm.load(Ordering::Relaxed) {
                true => Times::default(),
                false => self.once(operands, Timing::Each)?.1,
            };
            let (outputs, mut times) = self.once(operands, Timing::Each)?;
            if times.prepare.is_empty() {
                times.prepare = cold.prepare;
            }
            Ok((outputs, times))
        })
    }

    /// Runs the program, its results written into arrays that the caller has, and says how long its kernels took. No memory
    /// is taken for them, which for large results takes as long as the kernels that write them: who runs a program often
    /// hands in the arrays of the run before, `&mut outputs`. Results that belong into arrays on the device stay there.
    ///
    /// # Errors
    /// As [`Compiled::run`], and [`Error::Destination`] for an array that is not of its result's type and shape. After an
    /// error of the driver the arrays hold anything.
    pub fn run_into<'r>(
        &self,
        arguments: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
    ) -> Result<Times, Error> {
        self.into(arguments, results, |operands, places| self.launched(operands, places, Timing::Each))
    }

    /// Runs the program once, and then so often in a row, and says how long one of these runs took on average, without the copies
    /// to and from the device. What a device spends on a kernel beside the kernel's own work, on a GPU a few microseconds, then goes
    /// on while the kernel before it runs, as in a program that computes more than this; the times of a single run,
    /// [`Compiled::run_into`]'s, contain it. Nor does the time contain what the host takes to hand a kernel to the driver, on a GPU more than
    /// a short kernel takes: where the host would be late, the device first fills memory until all runs are in its queue, as far as the driver
    /// lets so many commands wait.
    ///
    /// # Errors
    /// As [`Compiled::run_into`].
    pub fn run_repeatedly<'r>(
        &self,
        runs: NonZeroUsize,
        arguments: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
    ) -> Result<Duration, Error> {
        let Built { plan, loaded, .. } = &*self.built;
        let whole = self.into(arguments, results, |operands, places| {
            loaded.repeat(plan, self.known(operands), places, runs)
        })?;
        Ok(whole.div_f64(runs.get() as f64))
    }

    /// Runs the program after filling all that it writes with bytes that are no number. In a check of kernels,
    /// an element that a kernel forgets to write can't then be right by chance.
    ///
    /// # Errors
    /// As [`Compiled::run`].
    pub fn run_spoiled(&self, arguments: &[Argument<'_>]) -> Result<(Vec<Output>, Times), Error> {
        self.with_operands(arguments, |operands| {
            self.with_room(|| {
                self.built.loaded.spoil(&self.built.plan)?;
                self.attempt(operands, u8::MAX, Timing::Each)
            })
        })
    }

    /// Has `run` write into results of the caller's.
    fn into<'r, R>(
        &self,
        arguments: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
        run: impl Fn(&[Operand<'_>], &mut [Place<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let results: Vec<Destination<'_>> = results.into_iter().map(Into::into).collect();
        let Built { signature, .. } = &*self.built;
        signature.check_destinations(&results)?;
        for (n, array) in results.iter().enumerate() {
            let name = || format!("the array for result {n} of `{}`", signature.program);
            array.there().map_or(Ok(()), |array| self.is_here(array, name))?;
        }
        let there: Vec<bool> = results.iter().map(|to| to.there().is_some()).collect();
        self.with_operands(arguments, |operands| {
            self.reserve(0, self.bytes_there(operands, |n| there[n]))?;
            let allocate = |bytes| self.device.allocate(bytes);
            destination::write(results, allocate, |places| self.with_room(|| run(operands, places)))
        })
    }

    /// Checks the arguments, and lays out densely those that are on the host, or are numbers.
    fn with_operands<R>(
        &self,
        arguments: &[Argument<'_>],
        f: impl FnOnce(&[Operand<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.built.signature.check(arguments)?;
        let mut laid_out = vec![];
        for (argument, parameter) in arguments.iter().zip(&self.built.signature.parameters) {
            let array = argument.there();
            array.map_or(Ok(()), |array| self.is_here(array, || format!("argument `{}`", parameter.name)))?;
            laid_out.push(match array.filter(|_| !parameter.shape.is_empty()) {
                Some(array) => LaidOut::There(array),
                None => LaidOut::Here(argument.dense(&parameter.name)?),
            });
        }
        let operands: Vec<Operand<'_>> = laid_out.iter().map(LaidOut::operand).collect();
        f(&operands)
    }

    /// Is the array on this device?
    fn is_here(&self, array: &DeviceOutput, what: impl FnOnce() -> String) -> Result<(), Error> {
        if array.is_on(self.device.home()) {
            return Ok(());
        }
        let (expected, got) = (self.device.to_string(), array.device().to_string());
        Err(Error::OtherDevice { what: what(), expected, got })
    }

    fn known<'a>(&self, operands: &'a [Operand<'a>]) -> Arguments<'a> {
        Arguments { operands, constants: self.constants }
    }

    fn once(&self, operands: &[Operand<'_>], timing: Timing) -> Result<(Vec<Output>, Times), Error> {
        self.with_room(|| self.attempt(operands, 0, timing))
    }

    /// A run. If memory is short, the device gives up what it holds for the next time, and it is tried again.
    fn with_room<R>(&self, run: impl FnMut() -> Result<R, Error>) -> Result<R, Error> {
        let result = self.device.with_room(run)?;
        self.built.warm.store(true, Ordering::Relaxed);
        Ok(result)
    }

    /// One run into results on the host that hold nothing but this byte.
    fn attempt(
        &self,
        operands: &[Operand<'_>],
        byte: u8,
        timing: Timing,
    ) -> Result<(Vec<Output>, Times), Error> {
        let Built { plan, signature, .. } = &*self.built;
        let results = plan.buffers.iter().filter(|b| matches!(b.role, Role::Output(_)));
        let bytes = results.map(|b| b.bytes() as u128).sum();
        self.reserve(bytes, self.bytes_there(operands, |_| false))?;
        let output = |(scalar, shape): &(_, Vec<usize>)| Output::zeroed(*scalar, shape);
        let mut outputs = signature.results.iter().map(output).collect::<Result<Vec<_>, _>>()?;
        let places = outputs.iter_mut().map(|output| {
            let bytes = output.bytes_mut();
            if byte != 0 {
                bytes.fill(byte);
            }
            Place::Host(bytes)
        });
        let mut places: Vec<Place<'_>> = places.collect();
        let times = self.launched(operands, &mut places, timing)?;
        drop(places);
        Ok((outputs, times))
    }

    /// Bytes of the plan's buffers in whose place arrays on the device stand: arguments, and the results that `result` says.
    fn bytes_there(&self, operands: &[Operand<'_>], result: impl Fn(usize) -> bool) -> usize {
        let there = |role| match role {
            Role::Input(n) => operands[n].host().is_none(),
            Role::Output(n) => result(n),
            Role::Temporary => false,
        };
        self.built.plan.buffers.iter().filter(|b| there(b.role)).map(|b| b.bytes()).sum()
    }

    /// Is there memory for a run whose results on the host take so many bytes, if arrays on the device stand in the place of others?
    fn reserve(&self, results: u128, there: usize) -> Result<(), Error> {
        let Built { plan, loaded, .. } = &*self.built;
        // Together: what was allocated and not yet written to still counts as available.
        match loaded.unallocated(there) as u128 {
            0 => host::reserve("the result", results),
            others => host::reserve(&format!("a run of `{}`", plan.name), results.saturating_add(others)),
        }
    }

    /// One run into this memory.
    fn launched(
        &self,
        operands: &[Operand<'_>],
        results: &mut [Place<'_>],
        timing: Timing,
    ) -> Result<Times, Error> {
        let Built { plan, memory, loaded, .. } = &*self.built;
        let taken = loaded.run(plan, self.known(operands), results, timing)?;
        let mut times = Times::default();
        for ((launch, prepares), time) in plan.launches.iter().zip(&memory.prepares).zip(taken) {
            let Some(time) = time else { continue };
            let list = if *prepares { &mut times.prepare } else { &mut times.kernels };
            list.extend(plan.kernel(launch).map(|kernel| (kernel.name.clone(), time)));
        }
        Ok(times)
    }

    /// The kernels, buffers and launches that it was built from.
    pub fn plan(&self) -> &Plan {
        &self.built.plan
    }

    /// Types and shapes of parameters and results.
    pub fn signature(&self) -> &Signature {
        &self.built.signature
    }

    /// The sizes that it was built for.
    pub fn sizes(&self) -> &Sizes {
        &self.built.sizes
    }

    /// The kernels as OpenCL C, whatever the device.
    pub fn opencl(&self) -> String {
        self.built.plan.opencl()
    }

    /// The kernels as C, whatever the device.
    pub fn c(&self) -> String {
        self.built.plan.c()
    }

    /// The device that it was built for.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The device memory that a run takes, and for what.
    pub fn memory(&self) -> &Memory {
        &self.built.memory
    }

    /// Bytes of device memory that a run takes: arguments, results, temporaries and prepared arrays. A `const` argument of
    /// which there is only what was prepared from it is not among them: it is on the device while that is prepared
    /// ([`Memory::bytes_to_prepare`]).
    pub fn bytes(&self) -> usize {
        self.built.memory.bytes()
    }

    /// Bytes that the device has allocated for this program, as the device counts them; none before the
    /// first run. Arguments and results lie in the caller's memory where the device can work there.
    pub fn allocated(&self) -> usize {
        self.built.loaded.allocated()
    }
}

/// An argument in standard layout.
enum LaidOut<'a> {
    Here(Dense<'a>),
    There(&'a DeviceOutput),
}

impl LaidOut<'_> {
    fn operand(&self) -> Operand<'_> {
        match self {
            LaidOut::Here(dense) => Operand::Host(dense.bytes()),
            LaidOut::There(array) => array.operand(),
        }
    }
}
