//! Running kernels over all cores.

use super::library::{Kernel, Library};
use super::memory::{Array, Arrays};
use crate::device::constants::fingerprint;
use crate::device::driver::{Arguments, Loaded, Taken, Timing};
use crate::there::{Operand, Place};
use crate::threads::{Work, lock};
use crate::{Error, threads};
use lift_core::cost;
use lift_core::kernel::{Launch, Location, Memory, Plan, Purpose, Role, c};
use std::ffi::{c_long, c_void};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A launch of fewer operations than this is done before another thread has woken up.
const ALONE: f64 = 150_000.0;

/// A portion has at least so many operations, which take about a microsecond.
const LEAST: f64 = 20_000.0;

pub struct Program {
    /// One for each module of the plan.
    libraries: Vec<Library>,
    /// For each launch, its units of work.
    works: Vec<Work>,
    memory: Memory,
    /// Temporaries of the last run, for the next one. Runs at the same time make their own.
    idle: Mutex<Option<Arrays>>,
    /// Locked while something is prepared: who wants the same waits instead of preparing it too.
    prepared: Mutex<Option<Arc<Prepared>>>,
}

/// The results of launches that prepare, with the fingerprint of the constants.
struct Prepared {
    constants: blake3::Hash,
    arrays: Arrays,
}

impl Program {
    pub fn new(plan: &Plan, memory: &Memory, libraries: Vec<Library>) -> Program {
        let work = |launch: &Launch| {
            let units = if launch.is_empty() { 0 } else { c::units(launch.grid) };
            let module = &plan.modules[launch.module];
            let operations = cost::operations(module, &module.kernels[launch.kernel]);
            Work { units, least: least(units, operations) }
        };
        let works = plan.launches.iter().map(work).collect();
        Program {
            libraries,
            works,
            memory: memory.clone(),
            idle: Mutex::default(),
            prepared: Mutex::default(),
        }
    }

    /// The prepared arrays for these arguments; `None` if the plan prepares nothing. Notes how long
    /// preparing took, if it was necessary.
    fn prepared(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        inputs: &[*mut c_void],
        temporaries: &mut Arrays,
        taken: &mut Taken,
    ) -> Result<Option<Arc<Prepared>>, Error> {
        if !self.memory.prepares.contains(&true) {
            return Ok(None);
        }
        let constants = fingerprint(plan, arguments);
        // The lock is not held while kernels run: a thread that waits for the others may take up another run
        // of this program in the meantime. Then both prepare.
        let last = match &mut *lock(&self.prepared) {
            Some(prepared) if prepared.constants == constants => return Ok(Some(prepared.clone())),
            other => other.take(),
        };
        // Memory that no other run reads is used again.
        let mut arrays = match last.and_then(Arc::into_inner) {
            Some(old) => old.arrays,
            None => Arrays::new(plan, &self.memory, Purpose::Prepared)?,
        };
        let pointer = |(at, role): (Location, Role)| match role {
            Role::Input(n) => inputs[n],
            Role::Output(_) => std::ptr::null_mut(),
            Role::Temporary if self.memory.slots[at.slot].purpose == Purpose::Prepared => {
                arrays.pointer_mut(at)
            }
            Role::Temporary => temporaries.pointer_mut(at),
        };
        let buffers: Vec<_> = self.placed(plan).map(pointer).collect();
        self.launch(plan, true, arguments, &buffers, taken);
        let prepared = Arc::new(Prepared { constants, arrays });
        *lock(&self.prepared) = Some(prepared.clone());
        Ok(Some(prepared))
    }

    /// For each buffer, where it lies and its role.
    fn placed(&self, plan: &Plan) -> impl Iterator<Item = (Location, Role)> {
        self.memory.locations.iter().copied().zip(plan.buffers.iter().map(|b| b.role))
    }

    /// The launches that prepare, or the others.
    fn launch(
        &self,
        plan: &Plan,
        preparing: bool,
        arguments: Arguments<'_>,
        buffers: &[*mut c_void],
        taken: &mut Taken,
    ) {
        let call = |launch: &Launch| Call {
            kernel: self.libraries[launch.module].kernels[launch.kernel],
            arrays: launch.arrays.iter().map(|id| buffers[id.0]).collect(),
            scalars: launch.scalars.iter().map(|n| arguments.scalar(*n).as_ptr().cast()).collect(),
        };
        let wanted: Vec<usize> =
            (0..plan.launches.len()).filter(|i| self.memory.prepares[*i] == preparing).collect();
        let calls: Vec<Call> = wanted.iter().map(|i| call(&plan.launches[*i])).collect();
        let works: Vec<Work> = wanted.iter().map(|i| self.works[*i]).collect();
        let mut start = Instant::now();
        let finished = |n: usize| {
            let now = Instant::now();
            taken[wanted[n]] = Some(now - start);
            start = now;
        };
        threads::in_turn(&works, |n, units| calls[n].part(units), finished);
    }
}

/// Units that a thread takes at least at a time: all of them, where others would come too late.
fn least(units: usize, operations: f64) -> usize {
    if operations < ALONE {
        return units;
    }
    (LEAST / (operations / units as f64)) as usize
}

/// Where kernels read each argument. They only read it, through a pointer to `const`.
fn inputs(plan: &Plan, arguments: Arguments<'_>) -> Result<Vec<*mut c_void>, Error> {
    let pointer = |operand: &Operand<'_>| match operand {
        Operand::Host(bytes) => Ok(bytes.as_ptr().cast_mut().cast()),
        Operand::There { memory, .. } => Array::pointer(*memory).ok_or_else(|| other(plan)),
    };
    arguments.operands.iter().map(pointer).collect()
}

/// Where kernels write each result.
fn results(plan: &Plan, outputs: &mut [Place<'_>]) -> Result<Vec<*mut c_void>, Error> {
    let pointer = |place: &mut Place<'_>| match place {
        Place::Host(bytes) => Ok(bytes.as_mut_ptr().cast()),
        Place::There(memory) => Array::pointer_mut(&mut **memory).ok_or_else(|| other(plan)),
    };
    outputs.iter_mut().map(pointer).collect()
}

fn other(plan: &Plan) -> Error {
    let what = "an array in memory of another kind of device".into();
    Error::Inconsistent { program: plan.name.clone(), what }
}

impl Loaded for Program {
    /// Times cost nothing here, and are always taken.
    fn run(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        _: Timing,
    ) -> Result<Taken, Error> {
        let idle = lock(&self.idle).take();
        let mut temporaries = idle.map_or_else(|| Arrays::new(plan, &self.memory, Purpose::Temporary), Ok)?;
        let mut taken = vec![None; plan.launches.len()];
        let inputs = inputs(plan, arguments)?;
        let results = results(plan, outputs)?;
        let prepared = self.prepared(plan, arguments, &inputs, &mut temporaries, &mut taken)?;
        let pointer = |(at, role): (Location, Role)| match (role, &prepared) {
            (Role::Input(n), _) => inputs[n],
            (Role::Output(n), _) => results[n],
            // Kernels only read prepared arrays, through a pointer to `const`.
            (Role::Temporary, Some(prepared)) if self.memory.slots[at.slot].purpose == Purpose::Prepared => {
                prepared.arrays.pointer(at)
            }
            (Role::Temporary, _) => temporaries.pointer_mut(at),
        };
        let buffers: Vec<_> = self.placed(plan).map(pointer).collect();
        self.launch(plan, false, arguments, &buffers, &mut taken);
        *lock(&self.idle) = Some(temporaries);
        Ok(taken)
    }

    fn repeat(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        runs: NonZeroUsize,
    ) -> Result<Duration, Error> {
        self.run(plan, arguments, outputs, Timing::Each)?;
        // Nothing lies between two launches here: the times of all are the whole.
        let mut whole = Duration::ZERO;
        for _ in 0..runs.get() {
            let taken = self.run(plan, arguments, outputs, Timing::Each)?;
            let launches = taken.into_iter().zip(&self.memory.prepares);
            whole += launches.filter(|(_, prepares)| !**prepares).filter_map(|(time, _)| time).sum();
        }
        Ok(whole)
    }

    fn spoil(&self, plan: &Plan) -> Result<(), Error> {
        let idle = lock(&self.idle).take();
        let mut temporaries = idle.map_or_else(|| Arrays::new(plan, &self.memory, Purpose::Temporary), Ok)?;
        temporaries.spoil();
        *lock(&self.idle) = Some(temporaries);
        // Prepared arrays are prepared again.
        lock(&self.prepared).take();
        Ok(())
    }

    fn allocated(&self) -> usize {
        let temporary = lock(&self.idle).as_ref().map_or(0, Arrays::bytes);
        temporary + lock(&self.prepared).as_ref().map_or(0, |p| p.arrays.bytes())
    }

    /// Arguments and results are never allocated for a program.
    fn unallocated(&self, _: usize) -> usize {
        let of = |purpose| self.memory.bytes_for(purpose);
        of(Purpose::Temporary).saturating_add(of(Purpose::Prepared)).saturating_sub(self.allocated())
    }

    fn release(&self) {
        lock(&self.idle).take();
        if let Ok(mut prepared) = self.prepared.try_lock() {
            prepared.take();
        }
    }
}

/// A kernel with its arguments.
struct Call {
    kernel: Kernel,
    arrays: Vec<*mut c_void>,
    scalars: Vec<*const c_void>,
}

// SAFETY: threads share the pointers, each to do other units of work; units write to different elements,
// which is what makes them units.
unsafe impl Sync for Call {}

impl Call {
    fn part(&self, units: Range<usize>) {
        // SAFETY: the pointers are those of the kernel's parameters, in order, and outlive the call: the
        // device checked the plan, and whoever loaded it promised that indices are in bounds.
        unsafe {
            (self.kernel)(
                self.arrays.as_ptr(),
                self.scalars.as_ptr(),
                units.start as c_long,
                units.end as c_long,
            )
        }
    }
}
