//! One launch of a plan: its kernel, with the arguments that it was passed last.

use super::memory::Buffer;
use super::session::Session;
use lift_core::kernel::{Launch, Plan};
use opencl3::command_queue::CommandQueue;
use opencl3::error_codes::{
    CL_INVALID_ARG_SIZE, CL_SUCCESS, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use std::cell::OnceCell;
use std::ptr;

/// A kernel holds its arguments: those that are the same in the next run need not be passed again.
pub struct Ready {
    kernel: Kernel,
    /// By their positions; none for what is not passed yet.
    passed: Vec<Option<Passed>>,
    /// Its work-group, where it is not left to the driver; drivers take their time to say what a kernel allows.
    group: OnceCell<Option<[usize; 3]>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// The buffer of this number; none where there is no buffer.
    Buffer(Option<u64>),
    /// The bytes of a number, the last ones zeros where it has fewer.
    Scalar([u8; 8]),
}

impl Ready {
    pub fn new(kernel: Kernel) -> Ready {
        Ready { kernel, passed: vec![], group: OnceCell::new() }
    }

    /// Passes an argument that is an array in memory of the device.
    ///
    /// # Safety
    /// The kernel's parameter in this position must be a pointer to global memory, and the buffer as large as the kernel takes it to
    /// be when it is started.
    pub unsafe fn pass_buffer(&mut self, position: usize, buffer: Option<&Buffer>) -> Result<(), ClError> {
        let handle = buffer.map_or(ptr::null_mut(), Buffer::handle);
        self.pass(position, Passed::Buffer(buffer.map(|b| b.number)), |kernel, n| {
            // SAFETY: the caller's promise is the same. A null pointer is an argument that OpenCL allows, too.
            unsafe { kernel.set_arg(n, &handle) }.map(drop)
        })
    }

    /// Passes an argument that is a number.
    ///
    /// # Safety
    /// The kernel's parameter in this position must be of the scalar type whose bytes these are.
    pub unsafe fn pass_scalar(&mut self, position: usize, bytes: &[u8]) -> Result<(), ClError> {
        let mut all = [0; 8];
        all.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
        self.pass(position, Passed::Scalar(all), |kernel, n| {
            // SAFETY: the caller's promise is the same.
            let set = unsafe {
                match bytes {
                    [a] => kernel.set_arg(n, a),
                    [a, b] => kernel.set_arg(n, &[*a, *b]),
                    [a, b, c, d] => kernel.set_arg(n, &[*a, *b, *c, *d]),
                    [a, b, c, d, e, f, g, h] => kernel.set_arg(n, &[*a, *b, *c, *d, *e, *f, *g, *h]),
                    // No scalar has this many bytes; the driver reports it as a wrong size.
                    _ => Err(ClError(CL_INVALID_ARG_SIZE)),
                }
            };
            set.map(drop)
        })
    }

    fn pass(
        &mut self,
        position: usize,
        new: Passed,
        set: impl FnOnce(&Kernel, u32) -> Result<(), ClError>,
    ) -> Result<(), ClError> {
        if self.passed.len() <= position {
            self.passed.resize(position + 1, None);
        }
        if self.passed[position] == Some(new) {
            return Ok(());
        }
        // Where it fails, nobody knows what the kernel holds.
        self.passed[position] = None;
        let number = u32::try_from(position).map_err(|_| ClError(CL_INVALID_ARG_SIZE))?;
        set(&self.kernel, number)?;
        self.passed[position] = Some(new);
        Ok(())
    }

    /// The work-group, where it is not left to the driver.
    fn group(&self, session: &Session, plan: &Plan, launch: &Launch) -> Option<[usize; 3]> {
        *self.group.get_or_init(|| launch.group.or_else(|| self.chosen_group(session, plan, launch)))
    }

    fn chosen_group(&self, session: &Session, plan: &Plan, launch: &Launch) -> Option<[usize; 3]> {
        let Some((sides, most)) = session.groups else { return plan.group_on_processor(launch) };
        // A kernel that needs many registers allows fewer work-items than the device.
        let most = self.kernel.get_work_group_size(session.device()).unwrap_or(most).min(most);
        let fits = |group: &[usize; 3]| {
            group.iter().product::<usize>() <= most && group.iter().zip(sides).all(|(n, side)| *n <= side)
        };
        launch.groups(&session.hierarchy).into_iter().find(fits)
    }

    /// Starts the kernel with an event, by which its times can be asked for.
    pub fn start_timed(
        &self,
        session: &Session,
        queue: &CommandQueue,
        plan: &Plan,
        launch: &Launch,
    ) -> Result<Event, ClError> {
        let group = self.group(session, plan, launch);
        let (global, local) = (launch.global(), group.as_ref().map_or(ptr::null(), |l| l.as_ptr()));
        let (kernel, dimensions) = (self.kernel.get(), dimensions(launch));
        // SAFETY: arguments are passed, and the arrays of sizes have three elements.
        unsafe { queue.enqueue_nd_range_kernel(kernel, dimensions, ptr::null(), global.as_ptr(), local, &[]) }
    }

    /// Starts the kernel without an event, which takes drivers some microseconds to make.
    pub fn start(
        &self,
        session: &Session,
        queue: &CommandQueue,
        plan: &Plan,
        launch: &Launch,
    ) -> Result<(), ClError> {
        let group = self.group(session, plan, launch);
        let (global, local) = (launch.global(), group.as_ref().map_or(ptr::null(), |l| l.as_ptr()));
        let library = cl3::load_library().as_ref().map_err(|_| ClError(DLOPEN_RUNTIME_LOAD_FAILED))?;
        let (none, no_events, no_event) = (ptr::null(), ptr::null(), ptr::null_mut());
        let (queue, kernel, dimensions) = (queue.get(), self.kernel.get(), dimensions(launch));
        // Arguments are passed, and the arrays of sizes have three elements; without events and a place for one, null stands for
        // each.
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
}

fn dimensions(launch: &Launch) -> u32 {
    if launch.global()[2] > 1 { 3 } else { 2 }
}
