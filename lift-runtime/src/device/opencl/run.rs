//! Running kernels on an OpenCL device.

use super::errors::{self, call};
use super::session::Session;
use crate::Error;
use crate::device::constants::fingerprint;
use crate::device::driver::{Loaded, Taken};
use crate::threads::lock;
use lift_core::kernel::{Launch, Memory, Plan, Purpose, Role, Slot};
use opencl3::error_codes::{CL_INVALID_ARG_SIZE, ClError};
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{Buffer, CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use std::num::NonZeroUsize;
use std::ptr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

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

    /// Copies, starts all launches, and waits for them.
    fn launched(
        &self,
        plan: &Plan,
        arguments: &[&[u8]],
        outputs: &mut [&mut [u8]],
        runs: NonZeroUsize,
    ) -> Result<Started, Error> {
        // Not with the lock held: it is made by several threads, and one that waits for the others may take up
        // another run of this program in the meantime.
        let now = fingerprint(plan, arguments);
        let State { kernels, buffers, constants } = &mut *lock(&self.state);
        // Taken out: buffers of a run that did not come to its end can't be relied on.
        let known = constants.take() == Some(now);
        let missing = |slot: &Slot| !(known && slot.purpose == Purpose::Source);
        allocate(&self.session, plan, &self.memory, buffers, missing)?;
        let run = Run { session: &self.session, plan, memory: &self.memory, kernels, arguments, known, runs };
        let result = run.transfer_and_launch(buffers, outputs);
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
    fn run(&self, plan: &Plan, arguments: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<Taken, Error> {
        self.launched(plan, arguments, outputs, NonZeroUsize::MIN)?.times()
    }

    fn repeat(
        &self,
        plan: &Plan,
        arguments: &[&[u8]],
        outputs: &mut [&mut [u8]],
        runs: NonZeroUsize,
    ) -> Result<Duration, Error> {
        self.launched(plan, arguments, outputs, runs)?.span(&self.memory)
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

/// One run, or several without a wait between them.
struct Run<'a> {
    session: &'a Session,
    plan: &'a Plan,
    memory: &'a Memory,
    kernels: &'a [Kernel],
    arguments: &'a [&'a [u8]],
    /// Does the device hold these `const` arguments?
    known: bool,
    /// How often the launches that do not prepare are carried out.
    runs: NonZeroUsize,
}

impl Run<'_> {
    fn transfer_and_launch(
        &self,
        buffers: &mut [Option<Buffer<u8>>],
        outputs: &mut [&mut [u8]],
    ) -> Result<Started, Error> {
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
        let started = self.start(buffers)?;
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
        Ok(started)
    }

    fn start(&self, buffers: &[Option<Buffer<u8>>]) -> Result<Started, Error> {
        let Run { plan, memory, kernels, known, runs, .. } = self;
        let mut launches: Vec<Launched> = plan.launches.iter().map(|_| Launched::Skipped).collect();
        for preparing in [true, false] {
            for (i, launch) in plan.launches.iter().enumerate() {
                if memory.prepares[i] == preparing && !(preparing && *known) {
                    let set = self.set_arguments(&kernels[i], launch, buffers);
                    launches[i] = self.named(launch, set.and_then(|()| self.launch(&kernels[i], launch)))?;
                }
            }
        }
        // Again with the same arguments.
        let mut last = None;
        for _ in 1..runs.get() {
            for (i, launch) in plan.launches.iter().enumerate().filter(|(i, _)| !memory.prepares[*i]) {
                if let Launched::Event(event) = self.named(launch, self.launch(&kernels[i], launch))? {
                    last = Some(event);
                }
            }
        }
        Ok(Started { launches, last })
    }

    fn launch(&self, kernel: &Kernel, launch: &Launch) -> Result<Launched, ClError> {
        match launch.is_empty() {
            true => Ok(Launched::Empty),
            false => self.enqueue(kernel, launch).map(Launched::Event),
        }
    }

    fn named<T>(&self, launch: &Launch, result: Result<T, ClError>) -> Result<T, Error> {
        let what = format!("the kernel `{}`", self.plan.kernels[launch.kernel].name);
        errors::memory("clEnqueueNDRangeKernel", &what, self.memory.bytes_to_prepare(), result)
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

    fn enqueue(&self, kernel: &Kernel, launch: &Launch) -> Result<Event, ClError> {
        let (session, global) = (self.session, launch.global());
        let local = launch.group.or_else(|| {
            let Some((sides, most)) = session.groups else { return self.plan.group_on_processor(launch) };
            // A kernel that needs many registers allows fewer work-items than the device.
            let most = kernel.get_work_group_size(session.device()).unwrap_or(most).min(most);
            let fits = |group: &[usize; 3]| {
                group.iter().product::<usize>() <= most && group.iter().zip(sides).all(|(n, side)| *n <= side)
            };
            launch.groups(&session.hierarchy).into_iter().find(fits)
        });
        let local = local.as_ref().map_or(ptr::null(), |l| l.as_ptr());
        let dimensions = if global[2] > 1 { 3 } else { 2 };
        // SAFETY: arguments are set, and the arrays of sizes have three elements.
        unsafe {
            session.queue.enqueue_nd_range_kernel(
                kernel.get(),
                dimensions,
                ptr::null(),
                global.as_ptr(),
                local,
                &[],
            )
        }
    }
}

/// What a run started.
struct Started {
    launches: Vec<Launched>,
    /// The last launch of the last run, where there were several.
    last: Option<Event>,
}

impl Started {
    fn times(&self) -> Result<Taken, Error> {
        self.launches.iter().map(Launched::time).collect()
    }

    /// From the start of the first launch that does not prepare to the end of the last one.
    fn span(&self, memory: &Memory) -> Result<Duration, Error> {
        let launches = self.launches.iter().zip(&memory.prepares);
        let events =
            launches.filter(|(_, prepares)| !**prepares).filter_map(|(launched, _)| launched.event());
        let events: Vec<&Event> = events.chain(&self.last).collect();
        match &events[..] {
            [] => Ok(Duration::ZERO),
            [first, .., last] => duration(first, last),
            [only] => duration(only, only),
        }
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
            Launched::Event(event) => duration(event, event).map(Some),
        }
    }

    fn event(&self) -> Option<&Event> {
        match self {
            Launched::Skipped | Launched::Empty => None,
            Launched::Event(event) => Some(event),
        }
    }
}

/// From the start of one to the end of another.
fn duration(first: &Event, last: &Event) -> Result<Duration, Error> {
    let start = call("clGetEventProfilingInfo", first.profiling_command_start())?;
    let end = call("clGetEventProfilingInfo", last.profiling_command_end())?;
    Ok(Duration::from_nanos(end.saturating_sub(start)))
}
