//! Running kernels on an OpenCL device.

use super::errors::{self, call};
use super::session::Session;
use crate::Error;
use crate::device::constants::fingerprint;
use crate::device::driver::{Arguments, Loaded, Taken};
use crate::threads::lock;
use lift_core::kernel::{Launch, Memory, Plan, Purpose, Role, Slot};
use opencl3::command_queue::CommandQueue;
use opencl3::error_codes::{
    CL_INVALID_ARG_SIZE, CL_SUCCESS, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::num::NonZeroUsize;
use std::ptr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub struct Program {
    session: Arc<Session>,
    memory: Memory,
    /// One for each launch: a kernel holds its arguments. Locked by a run from its first copy to its last.
    state: Mutex<State>,
}

struct State {
    kernels: Vec<Kernel>,
    /// One for each slot of the plan's memory; empty until the first run, and after a release. Sources are there
    /// during a run that prepares.
    buffers: Vec<Option<Buffer<u8>>>,
    /// The `const` arguments that the buffers hold, and with them what was prepared from these.
    constants: Option<blake3::Hash>,
}

impl Program {
    /// A kernel for each launch.
    pub fn new(session: Arc<Session>, kernels: Vec<Kernel>, memory: &Memory) -> Program {
        let state = Mutex::new(State { kernels, buffers: vec![], constants: None });
        Program { session, memory: memory.clone(), state }
    }

    /// One run, and what else is to be done with its arguments on the device.
    fn launched<R>(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [&mut [u8]],
        then: impl FnOnce(&Run<'_>, Taken) -> Result<R, Error>,
    ) -> Result<R, Error> {
        // Not with the lock held: it is made by several threads, and one that waits for the others may take up
        // another run of this program in the meantime.
        let now = fingerprint(plan, arguments);
        let State { kernels, buffers, constants } = &mut *lock(&self.state);
        // Taken out: buffers of a run that did not come to its end can't be relied on.
        let known = constants.take() == Some(now);
        let missing = |slot: &Slot| !(known && slot.purpose == Purpose::Source);
        allocate(&self.session, plan, &self.memory, buffers, missing)?;
        let run = Run { session: &self.session, plan, memory: &self.memory, kernels, arguments, known };
        let result = run.transfer_and_launch(buffers, outputs).and_then(|taken| then(&run, taken));
        match &result {
            Ok(_) => *constants = Some(now),
            // The caller's memory must outlive every copy, also when one after it failed.
            Err(_) => {
                if let Err(error) = self.session.queue.finish() {
                    log::warn!("clFinish: {error}");
                }
            }
        }
        for (slot, buffer) in self.memory.slots.iter().zip(buffers) {
            buffer.take_if(|_| slot.purpose == Purpose::Source);
        }
        result
    }
}

impl Loaded for Program {
    fn run(&self, plan: &Plan, arguments: Arguments<'_>, outputs: &mut [&mut [u8]]) -> Result<Taken, Error> {
        self.launched(plan, arguments, outputs, |_, taken| Ok(taken))
    }

    fn repeat(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [&mut [u8]],
        runs: NonZeroUsize,
    ) -> Result<Duration, Error> {
        self.launched(plan, arguments, outputs, |run, _| run.row(runs))
    }

    fn allocated(&self) -> usize {
        lock(&self.state).buffers.iter().flatten().filter_map(|b| b.size().ok()).sum()
    }

    fn unallocated(&self) -> usize {
        let all = match (self.session.on_host, lock(&self.state).constants) {
            (false, _) => 0,
            (true, Some(_)) => self.memory.bytes(),
            (true, None) => self.memory.bytes_to_prepare(),
        };
        all.saturating_sub(self.allocated())
    }

    fn spoil(&self, plan: &Plan) -> Result<(), Error> {
        let State { buffers, constants, .. } = &mut *lock(&self.state);
        let written = |slot: &Slot| match slot.purpose {
            Purpose::Input | Purpose::Constant | Purpose::Source => false,
            Purpose::Output | Purpose::Prepared | Purpose::Temporary => true,
        };
        allocate(&self.session, plan, &self.memory, buffers, written)?;
        // Prepared arrays must be prepared again.
        *constants = None;
        for (slot, buffer) in self.memory.slots.iter().zip(buffers.iter_mut()) {
            if let Some(buffer) = buffer
                && written(slot)
                && slot.bytes > 0
            {
                // SAFETY: as many bytes as the buffer has; the pattern is read before the call returns.
                let fill =
                    unsafe { self.session.queue.enqueue_fill_buffer(buffer, &[u8::MAX], 0, slot.bytes, &[]) };
                let what = format!("`{}` on the device", slot.name(plan));
                errors::memory("clEnqueueFillBuffer", &what, slot.bytes, fill)?;
            }
        }
        Ok(())
    }

    fn release(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.buffers.clear();
            state.constants = None;
        }
    }
}

/// Allocates what is not there of the slots that are wanted.
fn allocate(
    session: &Session,
    plan: &Plan,
    memory: &Memory,
    buffers: &mut Vec<Option<Buffer<u8>>>,
    wanted: impl Fn(&Slot) -> bool,
) -> Result<(), Error> {
    let buffer = |slot: &Slot| {
        let flags = match slot.purpose {
            Purpose::Input | Purpose::Constant | Purpose::Source => CL_MEM_READ_ONLY,
            Purpose::Output | Purpose::Prepared | Purpose::Temporary => CL_MEM_READ_WRITE,
        };
        // OpenCL has no buffers of no bytes.
        let bytes = slot.bytes.max(1);
        // SAFETY: no host pointer is passed.
        let buffer = unsafe { Buffer::create(&session.context, flags, bytes, ptr::null_mut()) };
        errors::memory("clCreateBuffer", &format!("`{}` on the device", slot.name(plan)), bytes, buffer)
    };
    buffers.resize_with(memory.slots.len(), || None);
    for (slot, place) in memory.slots.iter().zip(buffers) {
        if place.is_none() && wanted(slot) {
            *place = Some(buffer(slot)?);
        }
    }
    Ok(())
}

/// One run.
struct Run<'a> {
    session: &'a Session,
    plan: &'a Plan,
    memory: &'a Memory,
    kernels: &'a [Kernel],
    arguments: Arguments<'a>,
    /// Does the device hold these `const` arguments?
    known: bool,
}

impl Run<'_> {
    fn transfer_and_launch(
        &self,
        buffers: &mut [Option<Buffer<u8>>],
        outputs: &mut [&mut [u8]],
    ) -> Result<Taken, Error> {
        let Run { session, plan, memory, .. } = self;
        for (b, slot) in plan.buffers.iter().zip(&memory.slot_of) {
            let skipped = self.known && memory.slots[*slot].purpose == Purpose::Constant;
            // Sources of what is prepared are not there.
            if let Role::Input(n) = b.role
                && let Some(buffer) = &mut buffers[*slot]
                && !self.arguments[n].is_empty()
                && !skipped
            {
                let data = self.arguments[n];
                // SAFETY: as many bytes as the buffer has; they are borrowed until the queue is done, which
                // `Program::run` sees to.
                let copy =
                    unsafe { session.queue.enqueue_write_buffer(buffer, CL_NON_BLOCKING, 0, data, &[]) };
                let what = format!("`{}` on the device", b.name);
                errors::memory("clEnqueueWriteBuffer", &what, b.bytes(), copy)?;
            }
        }
        let mut started: Vec<Launched> = plan.launches.iter().map(|_| Launched::Skipped).collect();
        for preparing in [true, false] {
            for (i, launch) in plan.launches.iter().enumerate() {
                if memory.prepares[i] == preparing && !(preparing && self.known) {
                    started[i] = self.launch(launch, &self.kernels[i], buffers)?;
                }
            }
        }
        for (b, slot) in plan.buffers.iter().zip(&memory.slot_of) {
            if let Role::Output(n) = b.role
                && let Some(buffer) = &buffers[*slot]
                && b.length > 0
            {
                let data = &mut *outputs[n];
                // SAFETY: as many bytes as the buffer has; the call returns when they are there.
                let copy = unsafe { session.queue.enqueue_read_buffer(buffer, CL_BLOCKING, 0, data, &[]) };
                let what = format!("`{}` on the device", b.name);
                errors::memory("clEnqueueReadBuffer", &what, b.bytes(), copy)?;
            }
        }
        // Where nothing was read, nothing was waited for.
        call("clFinish", session.queue.finish())?;
        started.iter().map(Launched::time).collect()
    }

    /// Launches, with the arguments that they have, all that does not prepare so often, without a wait, and answers with
    /// the time that this takes.
    fn row(&self, runs: NonZeroUsize) -> Result<Duration, Error> {
        let Run { session, plan, memory, kernels, .. } = self;
        let queue = session.untimed()?;
        let launches = plan.launches.iter().zip(*kernels).zip(&memory.prepares);
        let launches = launches.filter(|((launch, _), prepares)| !launch.is_empty() && !**prepares);
        let launches: Vec<_> = launches.map(|((l, kernel), _)| (l, kernel, self.group(kernel, l))).collect();
        let start = Instant::now();
        let one = |(launch, kernel, group): &(&Launch, &Kernel, Option<[usize; 3]>)| {
            self.named(launch, enqueue_alone(queue, kernel, launch, *group))
        };
        let started = (0..runs.get()).try_for_each(|_| launches.iter().try_for_each(one));
        // Also after an error: the next run writes to the buffers that these read.
        call("clFinish", queue.finish()).and(started)?;
        Ok(start.elapsed())
    }

    fn launch(
        &self,
        launch: &Launch,
        kernel: &Kernel,
        buffers: &[Option<Buffer<u8>>],
    ) -> Result<Launched, Error> {
        if launch.is_empty() {
            return Ok(Launched::Empty);
        }
        let enqueue = || self.enqueue(&self.session.queue, kernel, launch, self.group(kernel, launch));
        let started = self.set_arguments(kernel, launch, buffers).and_then(|()| enqueue());
        Ok(Launched::Event(self.named(launch, started)?))
    }

    fn named<T>(&self, launch: &Launch, result: Result<T, ClError>) -> Result<T, Error> {
        result.or_else(|error| {
            let name = self.plan.kernel(launch).map_or("", |kernel| &kernel.name);
            let what = format!("the kernel `{name}`");
            errors::memory("clEnqueueNDRangeKernel", &what, self.memory.bytes_to_prepare(), Err(error))
        })
    }

    fn set_arguments(
        &self,
        kernel: &Kernel,
        launch: &Launch,
        buffers: &[Option<Buffer<u8>>],
    ) -> Result<(), ClError> {
        for (i, id) in (0..).zip(&launch.arrays) {
            let buffer = &buffers[self.memory.slot_of[id.0]];
            // SAFETY: the kernel's parameter is a pointer to global memory. Only sources are ever missing, and only in runs
            // that start no kernel that reads them; a null pointer would be an argument that OpenCL allows, too.
            unsafe { kernel.set_arg(i, &buffer.as_ref().map_or(ptr::null_mut(), ClMem::get)) }?;
        }
        for (i, n) in (launch.arrays.len() as u32..).zip(&launch.scalars) {
            // SAFETY: the parameter is of the scalar type that the argument was checked to have.
            unsafe {
                match self.arguments[*n] {
                    [a] => kernel.set_arg(i, a),
                    [a, b] => kernel.set_arg(i, &[*a, *b]),
                    [a, b, c, d] => kernel.set_arg(i, &[*a, *b, *c, *d]),
                    [a, b, c, d, e, f, g, h] => kernel.set_arg(i, &[*a, *b, *c, *d, *e, *f, *g, *h]),
                    // No scalar has this many bytes; the driver reports it as a wrong size.
                    _ => Err(ClError(CL_INVALID_ARG_SIZE)),
                }
            }?;
        }
        Ok(())
    }

    /// The work-group of a launch, where it is not left to the driver.
    fn group(&self, kernel: &Kernel, launch: &Launch) -> Option<[usize; 3]> {
        let session = self.session;
        launch.group.or_else(|| {
            let Some((sides, most)) = session.groups else { return self.plan.group_on_processor(launch) };
            // A kernel that needs many registers allows fewer work-items than the device.
            let most = kernel.get_work_group_size(session.device()).unwrap_or(most).min(most);
            let fits = |group: &[usize; 3]| {
                group.iter().product::<usize>() <= most && group.iter().zip(sides).all(|(n, side)| *n <= side)
            };
            launch.groups(&session.hierarchy).into_iter().find(fits)
        })
    }

    fn enqueue(
        &self,
        queue: &CommandQueue,
        kernel: &Kernel,
        launch: &Launch,
        group: Option<[usize; 3]>,
    ) -> Result<Event, ClError> {
        let (global, local) = (launch.global(), group.as_ref().map_or(ptr::null(), |l| l.as_ptr()));
        let dimensions = dimensions(launch);
        // SAFETY: arguments are set, and the arrays of sizes have three elements.
        unsafe {
            queue.enqueue_nd_range_kernel(kernel.get(), dimensions, ptr::null(), global.as_ptr(), local, &[])
        }
    }
}

fn dimensions(launch: &Launch) -> u32 {
    if launch.global()[2] > 1 { 3 } else { 2 }
}

/// The same without an event, which takes drivers some microseconds to make.
fn enqueue_alone(
    queue: &CommandQueue,
    kernel: &Kernel,
    launch: &Launch,
    group: Option<[usize; 3]>,
) -> Result<(), ClError> {
    let (global, local) = (launch.global(), group.as_ref().map_or(ptr::null(), |l| l.as_ptr()));
    let library = cl3::load_library().as_ref().map_err(|_| ClError(DLOPEN_RUNTIME_LOAD_FAILED))?;
    let (none, no_events, no_event) = (ptr::null(), ptr::null(), ptr::null_mut());
    let (queue, kernel, dimensions) = (queue.get(), kernel.get(), dimensions(launch));
    // Arguments are set, and the arrays of sizes have three elements; without events and a place for one, null stands for each.
    let status = library.clEnqueueNDRangeKernel(
        queue,
        kernel,
        dimensions,
        none,
        global.as_ptr(),
        local,
        0,
        no_events,
        no_event,
    );
    match status {
        Some(CL_SUCCESS) => Ok(()),
        Some(error) => Err(ClError(error)),
        None => Err(ClError(DLOPEN_FUNCTION_NOT_AVAILABLE)),
    }
}

/// How a launch went.
enum Launched {
    /// It was not needed.
    Skipped,
    Empty,
    Event(Event),
}

impl Launched {
    fn time(&self) -> Result<Option<Duration>, Error> {
        match self {
            Launched::Skipped => Ok(None),
            Launched::Empty => Ok(Some(Duration::ZERO)),
            Launched::Event(event) => duration(event).map(Some),
        }
    }
}

fn duration(event: &Event) -> Result<Duration, Error> {
    let start = call("clGetEventProfilingInfo", event.profiling_command_start())?;
    let end = call("clGetEventProfilingInfo", event.profiling_command_end())?;
    Ok(Duration::from_nanos(end.saturating_sub(start)))
}
