//! Runs that follow each other, and how long they take a device that does not wait for the host.
//!
//! It takes the host some microseconds to hand a kernel to a driver, on a GPU longer than short kernels take. Where the device is done
//! before the host, it is given something else to do first, filling memory, until all of the runs are in its queue; it then goes through them
//! as fast as it can, as it does where a program's earlier kernels are long.

use super::errors::call;
use super::launch::Ready;
use super::memory::Buffer;
use super::session::Session;
use crate::Error;
use lift_core::kernel::{Launch, Plan};
use opencl3::command_queue::CommandQueue;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::memory::CL_MEM_READ_WRITE;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Bytes that are filled at a time.
const FILLED: usize = 64 << 20;

/// What they are called in a message.
const WHAT: &str = "what keeps the device busy";

/// The device is kept busy for so many times as long as the host took to hand over the row: to hand over what keeps it busy takes time, too.
const BUSY: f64 = 2.0;

/// As many fills at most: drivers hold only so many commands.
const MOST: f64 = 128.0;

/// So often in a row.
pub struct Row<'a> {
    pub session: &'a Session,
    /// Its events have times, and nothing is in it.
    pub queue: &'a CommandQueue,
    pub plan: &'a Plan,
    /// What each run starts; arguments are passed.
    pub launches: Vec<(&'a Launch, &'a Ready)>,
    pub runs: NonZeroUsize,
}

/// What a row took.
struct Measured {
    device: Duration,
    /// Until the device had all in its queue.
    host: Duration,
}

impl Row<'_> {
    /// The time from when the first kernel begins until the last one ends.
    ///
    /// `named` makes an error of a launch that could not be started.
    pub fn time(
        &self,
        named: impl Fn(&Launch, Result<(), ClError>) -> Result<(), Error>,
    ) -> Result<Duration, Error> {
        let run = || self.run(&named);
        let Some(first) = run()? else { return Ok(Duration::ZERO) };
        // On a processor nothing is handed to another device.
        if self.session.on_host || first.device > first.host.mul_f64(BUSY) {
            return Ok(first.device);
        }
        let bytes = FILLED.min(usize::try_from(self.session.largest).unwrap_or(FILLED));
        // Without the memory there is a time, too.
        let Ok(mut memory) = Buffer::new(self.session, CL_MEM_READ_WRITE, bytes, WHAT) else {
            return Ok(first.device);
        };
        // The first of them may have to find the memory.
        self.fill(&mut memory, bytes)?;
        let fill = self.fill(&mut memory, bytes)?;
        let fills = (first.host.mul_f64(BUSY).div_duration_f64(fill)).min(MOST) as usize + 1;
        for _ in 0..fills {
            memory.fill(self.queue, 0, bytes, WHAT)?;
        }
        Ok(run()?.map_or(first.device, |behind| behind.device.min(first.device)))
    }

    fn fill(&self, memory: &mut Buffer, bytes: usize) -> Result<Duration, Error> {
        let event = memory.fill(self.queue, 0, bytes, WHAT)?;
        call("clFinish", self.queue.finish())?;
        Ok(between(&event, &event)?.max(Duration::from_nanos(1)))
    }

    /// Nothing if there is no launch.
    fn run(
        &self,
        named: &impl Fn(&Launch, Result<(), ClError>) -> Result<(), Error>,
    ) -> Result<Option<Measured>, Error> {
        let Row { session, queue, plan, launches, runs } = self;
        let mut events = vec![];
        let begin = Instant::now();
        let mut hand_over = || {
            let all = runs.get() * launches.len();
            for (n, (launch, ready)) in launches.iter().cycle().take(all).enumerate() {
                // An event takes drivers some microseconds to make: the first and the last only.
                let started = match n == 0 || n + 1 == all {
                    true => ready.start_timed(session, queue, plan, launch).map(|event| events.push(event)),
                    false => ready.start(session, queue, plan, launch),
                };
                named(launch, started)?;
            }
            Ok(())
        };
        let started = hand_over();
        let host = begin.elapsed();
        // Also after an error: the next run writes to the buffers that these read.
        call("clFinish", queue.finish()).and(started)?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        let device = between(first, last)?;
        Ok(Some(Measured { device, host }))
    }
}

/// From when one command begins until another ends.
pub fn between(first: &Event, last: &Event) -> Result<Duration, Error> {
    let begin = call("clGetEventProfilingInfo", first.profiling_command_start())?;
    let end = call("clGetEventProfilingInfo", last.profiling_command_end())?;
    Ok(Duration::from_nanos(end.saturating_sub(begin)))
}
