//! Running kernels over all cores.

use super::library::{Kernel, Library};
use super::memory::Temporaries;
use crate::device::Loaded;
use crate::remembered::lock;
use crate::{Error, Output};
use lift_core::cost;
use lift_core::kernel::{Launch, Plan, Role, c};
use rayon::prelude::*;
use std::ffi::{c_long, c_void};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A launch of fewer operations than this is done before another thread has woken up.
const ALONE: f64 = 150_000.0;

/// Portions for each thread: enough that a slow core is not waited for.
const PORTIONS: usize = 8;

pub struct Program {
    library: Library,
    /// For each launch: units of work, and units in a portion. None where there are no work-items, and so no
    /// work: a kernel may rely on having at least one.
    shares: Vec<Option<(usize, usize)>>,
    /// Of the last run, for the next one. Runs at the same time make their own.
    idle: Mutex<Option<Temporaries>>,
}

impl Program {
    pub fn new(plan: &Plan, library: Library) -> Program {
        let share = |launch: &Launch| {
            let units = c::units(launch.grid);
            let operations = cost::operations(plan, &plan.kernels[launch.kernel]);
            (!launch.grid.contains(&0)).then(|| (units, portion(units, operations)))
        };
        Program { library, shares: plan.launches.iter().map(share).collect(), idle: Mutex::new(None) }
    }
}

fn portion(units: usize, operations: f64) -> usize {
    let threads = rayon::current_num_threads();
    if operations < ALONE || threads == 1 {
        return units;
    }
    let least = ALONE / 8.0 / (operations / units as f64);
    units.div_ceil(threads * PORTIONS).max(least as usize).max(1)
}

impl Loaded for Program {
    fn run(&self, plan: &Plan, arguments: &[&[u8]], outputs: &mut [Output]) -> Result<Vec<Duration>, Error> {
        let idle = lock(&self.idle).take();
        let mut temporaries = idle.map_or_else(|| Temporaries::new(plan), Ok)?;
        let buffers = pointers(plan, arguments, outputs, &mut temporaries);
        let times = plan.launches.iter().zip(&self.shares).map(|(launch, share)| {
            let Some(share) = share else { return Duration::ZERO };
            let arrays = launch.arrays.iter().map(|id| buffers[id.0]).collect();
            let scalars = launch.scalars.iter().map(|n| arguments[*n].as_ptr().cast()).collect();
            let call = Call { kernel: self.library.kernels[launch.kernel], arrays, scalars };
            let start = Instant::now();
            call.run(*share);
            start.elapsed()
        });
        let times = times.collect();
        *lock(&self.idle) = Some(temporaries);
        Ok(times)
    }

    fn spoil(&self, plan: &Plan) -> Result<(), Error> {
        let idle = lock(&self.idle).take();
        let mut temporaries = idle.map_or_else(|| Temporaries::new(plan), Ok)?;
        temporaries.spoil();
        *lock(&self.idle) = Some(temporaries);
        Ok(())
    }

    fn release(&self) {
        lock(&self.idle).take();
    }
}

/// Where each buffer of the plan lies.
fn pointers(
    plan: &Plan,
    arguments: &[&[u8]],
    outputs: &mut [Output],
    temporaries: &mut Temporaries,
) -> Vec<*mut c_void> {
    let place = |(i, role)| match role {
        // Kernels read inputs only, through a pointer to `const`.
        Role::Input(n) => arguments[n].as_ptr().cast_mut().cast(),
        Role::Output(n) => outputs[n].bytes_mut().as_mut_ptr().cast(),
        Role::Temporary => temporaries.pointer(i),
    };
    plan.buffers.iter().map(|b| b.role).enumerate().map(place).collect()
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
    fn run(&self, (units, portion): (usize, usize)) {
        if portion >= units {
            return self.part(0, units);
        }
        (0..units.div_ceil(portion)).into_par_iter().with_max_len(1).for_each(|i| {
            self.part(i * portion, units.min((i + 1) * portion));
        });
    }

    fn part(&self, begin: usize, end: usize) {
        // SAFETY: the pointers are those of the kernel's parameters, in order, and outlive the call: the
        // device checked the plan, and whoever loaded it promised that indices are in bounds.
        unsafe { (self.kernel)(self.arrays.as_ptr(), self.scalars.as_ptr(), begin as c_long, end as c_long) }
    }
}
