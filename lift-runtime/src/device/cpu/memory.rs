//! Temporaries: arrays that only kernels see.

use crate::{Error, host};
use bytemuck::Zeroable;
use lift_core::kernel::{Buffer, Plan, Role};
use std::ffi::c_void;

/// A cache line, so that arrays start at one and wide vectors load at once.
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The temporaries of one run.
pub struct Temporaries {
    /// One for each buffer of the plan, empty where that is no temporary.
    arrays: Vec<Vec<Line>>,
}

impl Temporaries {
    pub fn new(plan: &Plan) -> Result<Temporaries, Error> {
        let all = plan.buffers.iter().filter(|b| b.role == Role::Temporary);
        host::reserve("intermediate arrays", all.map(|b| b.bytes() as u128).sum())?;
        let arrays = plan.buffers.iter().map(array).collect::<Result<_, _>>()?;
        Ok(Temporaries { arrays })
    }

    /// Fills all with bytes that are no number.
    pub fn spoil(&mut self) {
        self.arrays.iter_mut().for_each(|array| array.fill(Line([u8::MAX; 64])));
    }

    pub fn pointer(&mut self, buffer: usize) -> *mut c_void {
        self.arrays[buffer].as_mut_ptr().cast()
    }
}

fn array(buffer: &Buffer) -> Result<Vec<Line>, Error> {
    let lines = if buffer.role == Role::Temporary { buffer.bytes().div_ceil(size_of::<Line>()) } else { 0 };
    bytemuck::try_zeroed_vec(lines).map_err(|()| Error::OutOfMemory {
        what: format!("the intermediate array `{}`", buffer.name),
        bytes: buffer.bytes() as u128,
        available: None,
    })
}
