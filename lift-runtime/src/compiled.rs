//! A program built for one device at fixed sizes.

use crate::argument::Dense;
use crate::built::Built;
use crate::device::driver::Arguments;
use crate::signature::Signature;
use crate::{Argument, Destination, Device, Error, Output, Times, destination, host};
use lift_core::Sizes;
use lift_core::kernel::{Memory, Plan, Role};
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

    /// Runs the program. Arrays may have any layout; one that is not in standard layout is copied.
    ///
    /// Intermediate results that depend on `const` parameters alone are remembered together with their
    /// fingerprint, a cryptographic hash, and are computed again when the fingerprint is another: also if an
    /// array was changed in place, or another thread came with its own.
    ///
    /// # Errors
    /// Arguments that don't have the number, types and shapes that the program has at its sizes;
    /// too little memory; an error of the driver.
    pub fn run(&self, arguments: &[Argument<'_>]) -> Result<Vec<Output>, Error> {
        self.with_bytes(arguments, |bytes| Ok(self.once(bytes)?.0))
    }

    /// Runs the program and says how long its kernels took. The first time it runs twice, since the first run
    /// of a kernel also sets things up: code, pages, clocks.
    ///
    /// # Errors
    /// As [`Compiled::run`].
    pub fn run_timed(&self, arguments: &[Argument<'_>]) -> Result<(Vec<Output>, Times), Error> {
        self.with_bytes(arguments, |bytes| {
            let cold = match self.built.warm.load(Ordering::Relaxed) {
                true => Times::default(),
                false => self.once(bytes)?.1,
            };
            let (outputs, mut times) = self.once(bytes)?;
            if times.prepare.is_empty() {
                times.prepare = cold.prepare;
            }
            Ok((outputs, times))
        })
    }

    /// Runs the program, its results written into arrays that the caller has, and says how long its kernels took. No memory
    /// is taken for them, which for large results takes as long as the kernels that write them: who runs a program often
    /// hands in the arrays of the run before, `&mut outputs`.
    ///
    /// # Errors
    /// As [`Compiled::run`], and [`Error::Destination`] for an array that is not of its result's type and shape. After an
    /// error of the driver the arrays hold anything.
    pub fn run_into<'r>(
        &self,
        arguments: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
    ) -> Result<Times, Error> {
        self.into(arguments, results, |bytes, memory| self.launched(bytes, memory))
    }

    /// Runs the program once, and then so often in a row, and says how long one of these runs took on average, by the clock,
    /// without the copies to and from the device. The runs are handed to the device without a wait in between. What a
    /// device spends on a kernel beside the kernel's own work, on a GPU a few microseconds, then goes on while the kernel
    /// before it runs, as in a program that computes more than this; the times of a single run, [`Compiled::run_into`]'s,
    /// contain it.
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
        let whole = self
            .into(arguments, results, |bytes, memory| loaded.repeat(plan, self.known(bytes), memory, runs))?;
        Ok(whole.div_f64(runs.get() as f64))
    }

    /// Runs the program after filling all that it writes with bytes that are no number. In a check of kernels,
    /// an element that a kernel forgets to write can't then be right by chance.
    ///
    /// # Errors
    /// As [`Compiled::run`].
    pub fn run_spoiled(&self, arguments: &[Argument<'_>]) -> Result<(Vec<Output>, Times), Error> {
        self.with_bytes(arguments, |bytes| {
            self.with_room(|| {
                self.built.loaded.spoil(&self.built.plan)?;
                self.attempt(bytes, u8::MAX)
            })
        })
    }

    /// Has `run` write into results of the caller's.
    fn into<'r, R>(
        &self,
        arguments: &[Argument<'_>],
        results: impl IntoIterator<Item = impl Into<Destination<'r>>>,
        run: impl Fn(&[&[u8]], &mut [&mut [u8]]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let results: Vec<Destination<'_>> = results.into_iter().map(Into::into).collect();
        self.built.signature.check_destinations(&results)?;
        self.with_bytes(arguments, |bytes| {
            self.reserve(0)?;
            destination::write(results, |memory| self.with_room(|| run(bytes, memory)))
        })
    }

    /// Checks the arguments and lays them out densely.
    fn with_bytes<R>(
        &self,
        arguments: &[Argument<'_>],
        f: impl FnOnce(&[&[u8]]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.built.signature.check(arguments)?;
        let named = arguments.iter().zip(&self.built.signature.parameters);
        let dense = named.map(|(argument, parameter)| argument.dense(&parameter.name));
        let dense = dense.collect::<Result<Vec<Dense<'_>>, _>>()?;
        let bytes: Vec<&[u8]> = dense.iter().map(Dense::bytes).collect();
        f(&bytes)
    }

    fn known<'a>(&self, bytes: &'a [&'a [u8]]) -> Arguments<'a> {
        Arguments { bytes, constants: self.constants }
    }

    fn once(&self, arguments: &[&[u8]]) -> Result<(Vec<Output>, Times), Error> {
        self.with_room(|| self.attempt(arguments, 0))
    }

    /// A run. If memory is short, the device's programs give up what they hold for the next time, and it is
    /// tried again.
    fn with_room<R>(&self, mut run: impl FnMut() -> Result<R, Error>) -> Result<R, Error> {
        let result = match run() {
            Err(Error::OutOfMemory { .. }) => {
                self.device.remembered().release();
                run()
            }
            other => other,
        }?;
        self.built.warm.store(true, Ordering::Relaxed);
        Ok(result)
    }

    /// One run into results that hold nothing but this byte.
    fn attempt(&self, arguments: &[&[u8]], byte: u8) -> Result<(Vec<Output>, Times), Error> {
        let Built { plan, signature, .. } = &*self.built;
        let results = plan.buffers.iter().filter(|b| matches!(b.role, Role::Output(_)));
        self.reserve(results.map(|b| b.bytes() as u128).sum())?;
        let output = |(scalar, shape): &(_, Vec<usize>)| Output::zeroed(*scalar, shape);
        let mut outputs = signature.results.iter().map(output).collect::<Result<Vec<_>, _>>()?;
        let mut memory: Vec<&mut [u8]> = outputs.iter_mut().map(Output::bytes_mut).collect();
        if byte != 0 {
            memory.iter_mut().for_each(|bytes| bytes.fill(byte));
        }
        let times = self.launched(arguments, &mut memory)?;
        Ok((outputs, times))
    }

    /// Is there memory for a run whose results take so many bytes?
    fn reserve(&self, results: u128) -> Result<(), Error> {
        let Built { plan, loaded, .. } = &*self.built;
        // Together: what was allocated and not yet written to still counts as available.
        match loaded.unallocated() as u128 {
            0 => host::reserve("the result", results),
            others => host::reserve(&format!("a run of `{}`", plan.name), results.saturating_add(others)),
        }
    }

    /// One run into this memory.
    fn launched(&self, arguments: &[&[u8]], results: &mut [&mut [u8]]) -> Result<Times, Error> {
        let Built { plan, memory, loaded, .. } = &*self.built;
        let taken = loaded.run(plan, self.known(arguments), results)?;
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
