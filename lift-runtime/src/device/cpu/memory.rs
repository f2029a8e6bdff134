//! Memory for arrays that only kernels see.

use crate::{Error, host};
use bytemuck::Zeroable;
use lift_core::kernel::{Memory, Plan, Purpose, Slot};
use std::ffi::c_void;

/// A cache line, so that arrays start at one and wide vectors load at once.
#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// All memory of a plan that serves one purpose.
pub struct Arrays {
    /// One for each slot; empty for slots of another purpose.
    slots: Vec<Vec<Line>>,
}

impl Arrays {
    /// Allocates what the plan keeps for this purpose.
    pub fn new(plan: &Plan, memory: &Memory, purpose: Purpose) -> Result<Arrays, Error> {
        host::reserve("intermediate arrays", memory.bytes_for(purpose) as u128)?;
        let of = |slot: &Slot| if slot.purpose == purpose { array(plan, slot) } else { Ok(vec![]) };
        Ok(Arrays { slots: memory.slots.iter().map(of).collect::<Result<_, _>>()? })
    }

    /// Fills all with bytes that are no number.
    pub fn spoil(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.fill(Line([u8::MAX; 64])));
    }

    /// To be written through.
    pub fn pointer_mut(&mut self, slot: usize) -> *mut c_void {
        self.slots[slot].as_mut_ptr().cast()
    }

    /// To be read through only.
    pub fn pointer(&self, slot: usize) -> *mut c_void {
        self.slots[slot].as_ptr().cast_mut().cast()
    }

    /// Bytes that are allocated.
    pub fn bytes(&self) -> usize {
        self.slots.iter().map(|lines| lines.len() * size_of::<Line>()).sum()
    }
}

fn array(plan: &Plan, slot: &Slot) -> Result<Vec<Line>, Error> {
    let what = format!("the intermediate array `{}`", slot.name(plan));
    host::zeros(&what, slot.bytes.div_ceil(size_of::<Line>()))
}
