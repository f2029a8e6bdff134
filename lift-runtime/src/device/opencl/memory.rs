//! Memory of an OpenCL device: for arrays of a plan's own, and for those of users.

use super::errors;
use super::session::Session;
use crate::there::Stored;
use crate::{Error, host};
use opencl3::command_queue::CommandQueue;
use opencl3::event::Event;
use opencl3::memory::{self, CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_mem, cl_mem_flags};
use std::any::Any;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A buffer that is told apart from all others, also from one that was there before in the same place.
pub struct Buffer {
    cl: memory::Buffer<u8>,
    /// No other buffer of the process has it.
    pub number: u64,
}

impl Buffer {
    /// Of so many bytes; `what` is the subject of an error's message.
    pub fn new(session: &Session, flags: cl_mem_flags, bytes: usize, what: &str) -> Result<Buffer, Error> {
        // OpenCL has no buffers of no bytes.
        let bytes = bytes.max(1);
        // SAFETY: no host pointer is passed.
        let cl = unsafe { memory::Buffer::create(&session.context, flags, bytes, ptr::null_mut()) };
        Ok(Buffer::numbered(errors::memory("clCreateBuffer", what, bytes, cl)?))
    }

    /// So many of its bytes, from an offset on, as a buffer of their own: OpenCL keeps the whole as long as there are parts.
    pub fn part(&self, offset: usize, bytes: usize, what: &str) -> Result<Buffer, Error> {
        // SAFETY: the flags are the whole's; OpenCL checks that the part is inside.
        let cl = unsafe { self.cl.create_sub_buffer(0, offset, bytes.max(1)) };
        Ok(Buffer::numbered(errors::memory("clCreateSubBuffer", what, bytes, cl)?))
    }

    fn numbered(cl: memory::Buffer<u8>) -> Buffer {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Buffer { cl, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }

    /// OpenCL's handle.
    pub fn handle(&self) -> cl_mem {
        self.cl.get()
    }

    /// The bytes that the driver says it has.
    pub fn bytes(&self) -> usize {
        self.cl.size().unwrap_or(0)
    }

    /// Copies bytes there, no more than it has, when the queue has done what was asked of it before.
    ///
    /// # Safety
    /// The bytes must stay as they are until the event has come to pass.
    pub unsafe fn write_later(
        &mut self,
        session: &Session,
        queue: &CommandQueue,
        bytes: &[u8],
        what: &str,
    ) -> Result<Event, Error> {
        session.copies.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are the same.
        let copy = unsafe { queue.enqueue_write_buffer(&mut self.cl, CL_NON_BLOCKING, 0, bytes, &[]) };
        errors::memory("clEnqueueWriteBuffer", what, bytes.len(), copy)
    }

    /// Copies bytes from there, as many as there are or fewer, when the queue has done what was asked of it before: they are all
    /// there then.
    pub fn read(
        &self,
        session: &Session,
        queue: &CommandQueue,
        bytes: &mut [u8],
        what: &str,
    ) -> Result<(), Error> {
        session.copies.fetch_add(1, Ordering::Relaxed);
        let length = bytes.len();
        // SAFETY: as many bytes as the buffer has, or fewer; the call returns when they are there.
        let copy = unsafe { queue.enqueue_read_buffer(&self.cl, CL_BLOCKING, 0, bytes, &[]) };
        errors::memory("clEnqueueReadBuffer", what, length, copy).map(drop)
    }

    /// Fills the whole with one byte, when the queue has done what was asked of it before.
    pub fn fill(&mut self, queue: &CommandQueue, byte: u8, bytes: usize, what: &str) -> Result<Event, Error> {
        // SAFETY: as many bytes as the buffer has; the pattern is read before the call returns.
        let fill = unsafe { queue.enqueue_fill_buffer(&mut self.cl, &[byte], 0, bytes, &[]) };
        errors::memory("clEnqueueFillBuffer", what, bytes, fill)
    }
}

/// An array of the user's.
pub struct Array {
    session: Arc<Session>,
    buffer: Buffer,
}

/// What it is called where there is no memory for it.
const ARRAY: &str = "an array on the device";

impl Array {
    pub fn new(session: Arc<Session>, bytes: usize) -> Result<Array, Error> {
        session.has_room(ARRAY, bytes)?;
        if session.on_host {
            host::reserve(ARRAY, bytes as u128)?;
        }
        let buffer = Buffer::new(&session, CL_MEM_READ_WRITE, bytes, ARRAY)?;
        Ok(Array { session, buffer })
    }

    /// The buffer of an array of this device's; none if it is of another kind of device.
    pub fn buffer(memory: &dyn Stored) -> Option<&Buffer> {
        (memory as &dyn Any).downcast_ref::<Array>().map(|array| &array.buffer)
    }
}

impl Stored for Array {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Array { session, buffer } = self;
        // SAFETY: they are borrowed until the event has come to pass, or the queue has given up.
        let copy = unsafe { buffer.write_later(session, &session.queue, bytes, ARRAY) }?;
        errors::call("clWaitForEvents", copy.wait()).inspect_err(|_| session.finish())
    }

    fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.buffer.read(&self.session, &self.session.queue, bytes, ARRAY)
    }

    fn wait(&self) -> Result<(), Error> {
        errors::call("clFinish", self.session.queue.finish())
    }
}
