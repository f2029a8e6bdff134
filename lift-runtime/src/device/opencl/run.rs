//! Running kernels on an OpenCL device.

use super::errors::{self, call};
use super::launch::Ready;
use super::memory::{Array, Buffer};
use super::row::{Row, between};
use super::session::Session;
use crate::Error;
use crate::device::constants::fingerprint;
use crate::device::driver::{Arguments, Loaded, Taken, Timing};
use crate::there::{Operand, Place};
use crate::threads::lock;
use lift_core::kernel::{BufferId, Launch, Location, Memory, Plan, Purpose, Role, Slot};
use opencl3::command_queue::CommandQueue;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::{CL_MEM_READ_ONLY, CL_MEM_READ_WRITE};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub struct Program {
    session: Arc<Session>,
    memory: Memory,
    /// Locked by a run from its first copy until its last command is in the queue.
    state: Mutex<State>,
}

struct State {
    /// One for each launch.
    launches: Vec<Ready>,
    /// Empty until the first run, and after a release.
    buffers: Buffers,
    /// The `const` arguments that the buffers hold, and with them what was prepared from these.
    constants: Option<blake3::Hash>,
}

impl Program {
    /// A kernel for each launch.
    pub fn new(session: Arc<Session>, kernels: Vec<Kernel>, memory: &Memory) -> Program {
        let launches = kernels.into_iter().map(Ready::new).collect();
        let state = Mutex::new(State { launches, buffers: Buffers::default(), constants: None });
        Program { session, memory: memory.clone(), state }
    }

    /// One run, and what else is to be done with its arguments on the device.
    fn launched<R>(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        timing: Timing,
        then: impl FnOnce(&Run<'_>, &[Ready], Taken) -> Result<R, Error>,
    ) -> Result<R, Error> {
        // Not with the lock held: it is made by several threads, and one that waits for the others may take up
        // another run of this program in the meantime.
        let now = fingerprint(plan, arguments);
        let State { launches, buffers, constants } = &mut *lock(&self.state);
        // Taken out: buffers of a run that did not come to its end can't be relied on.
        let known = constants.take() == Some(now);
        let Bound { there, mut read } = Bound::of(plan, &self.memory, arguments, outputs)?;
        let missing =
            |n: usize, slot: &Slot| there[n].is_none() && !(known && slot.purpose == Purpose::Source);
        buffers.allocate(&self.session, plan, &self.memory, missing)?;
        let session = &*self.session;
        // With the lock held: see there.
        let queue = if timing == Timing::Each { session.timed()? } else { &session.queue };
        let run = Run { session, queue, plan, memory: &self.memory, there, arguments, known, timing };
        let result = run
            .transfer_and_launch(launches, buffers, &mut read)
            .and_then(|taken| then(&run, launches, taken));
        match &result {
            Ok(_) => *constants = Some(now),
            // The caller's memory must outlive every copy, also when one after it failed.
            Err(_) => session.finish(),
        }
        // Drivers keep what started kernels read until these are done.
        for (slot, buffer) in self.memory.slots.iter().zip(&mut buffers.slots) {
            buffer.take_if(|_| slot.purpose == Purpose::Source);
        }
        result
    }
}

impl Loaded for Program {
    fn run(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        timing: Timing,
    ) -> Result<Taken, Error> {
        self.launched(plan, arguments, outputs, timing, |_, _, taken| Ok(taken))
    }

    fn repeat(
        &self,
        plan: &Plan,
        arguments: Arguments<'_>,
        outputs: &mut [Place<'_>],
        runs: NonZeroUsize,
    ) -> Result<Duration, Error> {
        self.launched(plan, arguments, outputs, Timing::None, |run, launches, _| run.row(launches, runs))
    }

    fn allocated(&self) -> usize {
        lock(&self.state).buffers.slots.iter().flatten().map(Buffer::bytes).sum()
    }

    fn unallocated(&self, there: usize) -> usize {
        let all = match (self.session.on_host, lock(&self.state).constants) {
            (false, _) => 0,
            (true, Some(_)) => self.memory.bytes(),
            (true, None) => self.memory.bytes_to_prepare(),
        };
        all.saturating_sub(there).saturating_sub(self.allocated())
    }

    fn spoil(&self, plan: &Plan) -> Result<(), Error> {
        let State { buffers, constants, .. } = &mut *lock(&self.state);
        let written = |slot: &Slot| match slot.purpose {
            Purpose::Input | Purpose::Constant | Purpose::Source => false,
            Purpose::Output | Purpose::Prepared | Purpose::Temporary => true,
        };
        buffers.allocate(&self.session, plan, &self.memory, |_, slot| written(slot))?;
        // Prepared arrays must be prepared again.
        *constants = None;
        for (slot, buffer) in self.memory.slots.iter().zip(&mut buffers.slots) {
            if let Some(buffer) = buffer
                && written(slot)
                && slot.bytes > 0
            {
                let what = on_device(&slot.name(plan));
                buffer.fill(&self.session.queue, u8::MAX, slot.bytes, &what)?;
            }
        }
        Ok(())
    }

    fn release(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.buffers = Buffers::default();
            state.constants = None;
        }
    }
}

/// The device's memory for a plan.
#[derive(Default)]
struct Buffers {
    /// For each buffer of the plan that does not begin where its slot does, that part of it.
    parts: Vec<Option<Buffer>>,
    /// One for each slot of the plan's memory, unless every run was given an array on the device for it. Sources are there during a
    /// run that prepares.
    slots: Vec<Option<Buffer>>,
}

impl Buffers {
    /// Allocates what is not there of the slots that are wanted.
    fn allocate(
        &mut self,
        session: &Session,
        plan: &Plan,
        memory: &Memory,
        wanted: impl Fn(usize, &Slot) -> bool,
    ) -> Result<(), Error> {
        let buffer = |slot: &Slot| {
            let flags = match slot.purpose {
                Purpose::Input | Purpose::Constant | Purpose::Source => CL_MEM_READ_ONLY,
                Purpose::Output | Purpose::Prepared | Purpose::Temporary => CL_MEM_READ_WRITE,
            };
            Buffer::new(session, flags, slot.bytes, &on_device(&slot.name(plan)))
        };
        self.slots.resize_with(memory.slots.len(), || None);
        for (n, (slot, place)) in memory.slots.iter().zip(&mut self.slots).enumerate() {
            if place.is_none() && wanted(n, slot) {
                *place = Some(buffer(slot)?);
            }
        }
        self.parts.resize_with(plan.buffers.len(), || None);
        for ((buffer, at), part) in plan.buffers.iter().zip(&memory.locations).zip(&mut self.parts) {
            if let Some(whole) = &self.slots[at.slot]
                && part.is_none()
                && at.offset > 0
            {
                *part = Some(whole.part(at.offset, buffer.bytes(), &on_device(&buffer.name))?);
            }
        }
        Ok(())
    }

    /// What a buffer of the plan lies in.
    fn of(&self, id: BufferId, at: Location) -> Option<&Buffer> {
        if at.offset > 0 { self.parts[id.0].as_ref() } else { self.slots[at.slot].as_ref() }
    }
}

fn on_device(name: &str) -> String {
    format!("`{name}` on the device")
}

/// The last part is released first: NVIDIA's driver 580.159 crashes where parts are released in the order in which they were made.
impl Drop for Buffers {
    fn drop(&mut self) {
        while self.parts.pop().is_some() {}
    }
}

/// Where the arrays of a run lie that are not the plan's own. An argument or a result has a slot of its own, so that a buffer of the
/// user's can stand in its place: nothing else is ever written there.
struct Bound<'a> {
    /// For each slot the buffer on the device that stands in its place.
    there: Vec<Option<&'a Buffer>>,
    /// For each result the memory of the host that it is copied to.
    read: Vec<Option<&'a mut [u8]>>,
}

impl<'a> Bound<'a> {
    fn of(
        plan: &Plan,
        memory: &Memory,
        arguments: Arguments<'a>,
        outputs: &'a mut [Place<'_>],
    ) -> Result<Bound<'a>, Error> {
        let mut there = vec![None; memory.slots.len()];
        let of_roles = |role: Role| {
            let of_plan = plan.buffers.iter().zip(&memory.locations);
            of_plan.filter(move |(b, _)| b.role == role).map(|(_, at)| at.slot)
        };
        let other = || Error::Inconsistent {
            program: plan.name.clone(),
            what: "an array in memory of another kind of device".into(),
        };
        for (n, operand) in arguments.operands.iter().enumerate() {
            if let Operand::There { memory, .. } = operand {
                let buffer = Array::buffer(*memory).ok_or_else(other)?;
                of_roles(Role::Input(n)).for_each(|slot| there[slot] = Some(buffer));
            }
        }
        let mut read = vec![];
        for (n, place) in outputs.iter_mut().enumerate() {
            read.push(match place {
                Place::Host(bytes) => Some(&mut **bytes),
                Place::There(memory) => {
                    let buffer = Array::buffer(&**memory).ok_or_else(other)?;
                    of_roles(Role::Output(n)).for_each(|slot| there[slot] = Some(buffer));
                    None
                }
            });
        }
        Ok(Bound { there, read })
    }
}

/// One run.
struct Run<'a> {
    session: &'a Session,
    queue: &'a CommandQueue,
    plan: &'a Plan,
    memory: &'a Memory,
    /// For each slot the user's buffer that stands in its place.
    there: Vec<Option<&'a Buffer>>,
    arguments: Arguments<'a>,
    /// Does the device hold these `const` arguments?
    known: bool,
    timing: Timing,
}

impl Run<'_> {
    fn transfer_and_launch(
        &self,
        launches: &mut [Ready],
        buffers: &mut Buffers,
        results: &mut [Option<&mut [u8]>],
    ) -> Result<Taken, Error> {
        let Run { plan, memory, .. } = self;
        let copied = self.write(buffers)?;
        let mut started: Vec<Launched> = plan.launches.iter().map(|_| Launched::Skipped).collect();
        let mut prepared = false;
        for preparing in [true, false] {
            for (i, launch) in plan.launches.iter().enumerate() {
                if memory.prepares[i] == preparing && !(preparing && self.known) {
                    started[i] = self.launch(launch, &mut launches[i], buffers)?;
                    prepared |= preparing;
                }
            }
        }
        let read = self.read(buffers, results)?;
        if read || prepared || self.timing == Timing::Each {
            // What was prepared is relied on by later runs, which must not be if it failed.
            call("clFinish", self.queue.finish())?;
        } else if let Some(copied) = copied {
            // The host's memory may change as soon as this returns. In an order, the last copy is the last to be done.
            call("clWaitForEvents", copied.wait())?;
        } else {
            // It starts now, and not when somebody waits.
            call("clFlush", self.queue.flush())?;
        }
        started.iter().map(Launched::time).collect()
    }

    /// Copies arguments to the device, as far as they are not there; answers with the last copy.
    fn write(&self, buffers: &mut Buffers) -> Result<Option<Event>, Error> {
        let mut last = None;
        for (b, at) in self.plan.buffers.iter().zip(&self.memory.locations) {
            let skipped = self.known && self.memory.slots[at.slot].purpose == Purpose::Constant;
            // Sources of what is prepared are not there.
            if let Role::Input(n) = b.role
                && let Operand::Host(data) = self.arguments[n]
                && let Some(buffer) = &mut buffers.slots[at.slot]
                && !data.is_empty()
                && !skipped
            {
                let what = on_device(&b.name);
                // SAFETY: as many bytes as the buffer has; they are borrowed until the last copy is done, which
                // `transfer_and_launch` sees to, or `Program::launched` where something fails.
                last = Some(unsafe { buffer.write_later(self.session, self.queue, data, &what) }?);
            }
        }
        Ok(last)
    }

    /// Copies results to the host, as far as they belong there. Were there any?
    fn read(&self, buffers: &Buffers, results: &mut [Option<&mut [u8]>]) -> Result<bool, Error> {
        let mut any = false;
        for (b, at) in self.plan.buffers.iter().zip(&self.memory.locations) {
            if let Role::Output(n) = b.role
                && let Some(data) = &mut results[n]
                && let Some(buffer) = &buffers.slots[at.slot]
                && b.length > 0
            {
                buffer.read(self.session, self.queue, data, &on_device(&b.name))?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Launches, with the arguments that they have, all that does not prepare so often, without a wait, and answers with
    /// the time that this takes the device.
    fn row(&self, ready: &[Ready], runs: NonZeroUsize) -> Result<Duration, Error> {
        let Run { session, plan, memory, .. } = self;
        let launches = plan.launches.iter().zip(ready).zip(&memory.prepares);
        let launches = launches.filter(|((launch, _), prepares)| !launch.is_empty() && !**prepares);
        let launches = launches.map(|(launch, _)| launch).collect();
        let row = Row { session, queue: session.timed()?, plan, launches, runs };
        row.time(|launch, started| self.named(launch, started))
    }

    fn launch(&self, launch: &Launch, ready: &mut Ready, buffers: &Buffers) -> Result<Launched, Error> {
        if launch.is_empty() {
            return Ok(Launched::Empty);
        }
        self.named(launch, self.pass_arguments(launch, ready, buffers))?;
        let Run { session, queue, plan, .. } = self;
        Ok(match self.timing {
            Timing::Each => {
                Launched::Event(self.named(launch, ready.start_timed(session, queue, plan, launch))?)
            }
            Timing::None => {
                self.named(launch, ready.start(session, queue, plan, launch))?;
                Launched::Untimed
            }
        })
    }

    fn named<T>(&self, launch: &Launch, result: Result<T, ClError>) -> Result<T, Error> {
        result.or_else(|error| {
            let name = self.plan.kernel(launch).map_or("", |kernel| &kernel.name);
            let what = format!("the kernel `{name}`");
            errors::memory("clEnqueueNDRangeKernel", &what, self.memory.bytes_to_prepare(), Err(error))
        })
    }

    fn pass_arguments(&self, launch: &Launch, ready: &mut Ready, buffers: &Buffers) -> Result<(), ClError> {
        for (i, id) in launch.arrays.iter().enumerate() {
            let at = self.memory.locations[id.0];
            let buffer = self.there[at.slot].or(buffers.of(*id, at));
            // SAFETY: the kernel's parameter is a pointer to global memory, and the buffer as large as the plan's. Only sources are
            // ever missing, and only in runs that start no kernel that reads them.
            unsafe { ready.pass_buffer(i, buffer) }?;
        }
        for (i, n) in (launch.arrays.len()..).zip(&launch.scalars) {
            // SAFETY: the parameter is of the scalar type that the argument was checked to have.
            unsafe { ready.pass_scalar(i, self.arguments.scalar(*n)) }?;
        }
        Ok(())
    }
}

/// How a launch went.
enum Launched {
    /// It was not needed.
    Skipped,
    Empty,
    /// It was started, and nobody asks for its time.
    Untimed,
    Event(Event),
}

impl Launched {
    fn time(&self) -> Result<Option<Duration>, Error> {
        match self {
            Launched::Skipped | Launched::Untimed => Ok(None),
            Launched::Empty => Ok(Some(Duration::ZERO)),
            Launched::Event(event) => between(event, event).map(Some),
        }
    }
}
