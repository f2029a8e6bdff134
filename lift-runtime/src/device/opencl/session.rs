//! A device in use: its context, its queues and its limits.
//!
//! All that a session does goes through one queue that works in order, so that a run never waits for another whose results it
//! reads. That queue notes no times, since what a device does for that would be part of each run. Runs whose times are wanted have a
//! queue of their own. Two queues know no order between them; so such a run first waits until the other queue is empty, and ends when
//! its own is. What is in its queue therefore is all done whenever something comes to the other one that could depend on it.

use super::errors::call;
use crate::Error;
use lift_core::kernel::{Memory, Plan};
use lift_core::target::{Class, Hierarchy, Target};
use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_CPU, Device};
use opencl3::types::{cl_command_queue_properties, cl_device_id};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

pub struct Session {
    pub context: Context,
    /// In order, without times: for everything but timed runs.
    pub queue: CommandQueue,
    /// In order, with times, made when it is first needed.
    timed: OnceLock<CommandQueue>,
    /// How many arrays were copied between the host and the device.
    pub copies: AtomicUsize,
    /// Are the device's buffers in this machine's memory?
    pub on_host: bool,
    memory: u64,
    /// Bytes of the largest buffer that the device makes.
    pub largest: u64,
    /// Bits of the numbers that the device counts work-items with.
    address_bits: u32,
    /// Whether this crate chooses work-groups, and how large they may be in each dimension and together.
    pub groups: Option<([usize; 3], usize)>,
    /// How its work-items are best grouped.
    pub hierarchy: Hierarchy,
}

impl Session {
    pub fn new(device: &Device, target: &Target) -> Result<Session, Error> {
        let context = call("clCreateContext", Context::from_device(device))?;
        let queue = in_order(&context, 0)?;
        let info = "clGetDeviceInfo";
        let sizes = call(info, device.max_work_item_sizes())?;
        let sizes = [0, 1, 2].map(|d| sizes.get(d).copied().unwrap_or(1));
        let most = call(info, device.max_work_group_size())?;
        Ok(Session {
            context,
            queue,
            timed: OnceLock::new(),
            copies: AtomicUsize::new(0),
            on_host: call(info, device.dev_type())? & CL_DEVICE_TYPE_CPU != 0,
            memory: call(info, device.global_mem_size())?,
            largest: call(info, device.max_mem_alloc_size())?,
            address_bits: call(info, device.address_bits())?,
            groups: (target.family.class() == Class::Gpu).then_some((sizes, most)),
            hierarchy: target.hierarchy,
        })
    }

    /// The queue with times, for a run that leaves it empty. What was started before is done now.
    pub fn timed(&self) -> Result<&CommandQueue, Error> {
        call("clFinish", self.queue.finish())?;
        match self.timed.get() {
            Some(queue) => Ok(queue),
            None => {
                let queue = in_order(&self.context, CL_QUEUE_PROFILING_ENABLE)?;
                Ok(self.timed.get_or_init(|| queue))
            }
        }
    }

    /// Waits until nothing reads or writes memory of the host any more, after an error.
    pub fn finish(&self) {
        for queue in std::iter::once(&self.queue).chain(self.timed.get()) {
            if let Err(error) = queue.finish() {
                log::warn!("clFinish: {error}");
            }
        }
    }

    /// The device's handle.
    pub fn device(&self) -> cl_device_id {
        self.context.default_device()
    }

    /// Can the device count the work-items of every launch? Drivers don't all look.
    pub fn counts(&self, plan: &Plan) -> bool {
        let most = 1u128.checked_shl(self.address_bits).map_or(u128::MAX, |n| n - 1);
        plan.launches.iter().flat_map(|l| l.global()).all(|items| items as u128 <= most)
    }

    /// Does the device have buffers of so many bytes? `what` is for an error's message.
    pub fn has_room(&self, what: &str, bytes: usize) -> Result<(), Error> {
        let (bytes, most) = (bytes as u128, self.largest as u128);
        let full = || Error::OutOfMemory { what: what.to_string(), bytes, available: Some(most) };
        if bytes > most { Err(full()) } else { Ok(()) }
    }

    /// Does the device have the memory, in total and for the largest buffer?
    pub fn fits(&self, plan: &Plan, memory: &Memory) -> Result<(), Error> {
        let total = memory.slots.iter().map(|s| s.bytes as u128).sum();
        let largest = memory.slots.iter().max_by_key(|s| s.bytes);
        let largest =
            largest.map_or((String::new(), 0), |s| (format!("`{}`", s.name(plan)), s.bytes as u128));
        let all = (format!("the arrays of `{}` on the device", plan.name), total);
        for ((what, bytes), limit) in [(largest, self.largest), (all, self.memory)] {
            if bytes > limit as u128 {
                return Err(Error::OutOfMemory { what, bytes, available: Some(limit as u128) });
            }
        }
        Ok(())
    }
}

fn in_order(context: &Context, properties: cl_command_queue_properties) -> Result<CommandQueue, Error> {
    // OpenCL 1.2's way to make a queue, which every later version still has.
    #[allow(deprecated)]
    let queue = CommandQueue::create_default(context, properties);
    call("clCreateCommandQueue", queue)
}
