//! Memory for arrays that only kernels see, and for those of users that stay on the device.

use crate::there::Stored;
use crate::{Error, host};
use bytemuck::{Pod, Zeroable};
use lift_core::kernel::{Location, Memory, Plan, Purpose, Slot};
use std::any::Any;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A cache line, so that arrays start at one and wide vectors load at once.
#[derive(Clone, Copy, Pod, Zeroable)]
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
    pub fn pointer_mut(&mut self, at: Location) -> *mut c_void {
        self.slots[at.slot].as_mut_ptr().wrapping_byte_add(at.offset).cast()
    }

    /// To be read through only.
    pub fn pointer(&self, at: Location) -> *mut c_void {
        self.slots[at.slot].as_ptr().wrapping_byte_add(at.offset).cast_mut().cast()
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

/// An array of the user's. The device's memory is the host's: kernels read and write it where it is.
pub struct Array {
    lines: Vec<Line>,
    copies: Arc<AtomicUsize>,
}

impl Array {
    pub fn new(bytes: usize, copies: &Arc<AtomicUsize>) -> Result<Array, Error> {
        let lines = host::zeros("an array on the device", bytes.div_ceil(size_of::<Line>()))?;
        Ok(Array { lines, copies: copies.clone() })
    }

    /// To be read through only; none if it is of another kind of device.
    pub fn pointer(memory: &dyn Stored) -> Option<*mut c_void> {
        (memory as &dyn Any).downcast_ref::<Array>().map(|array| array.lines.as_ptr().cast_mut().cast())
    }

    /// To be written through.
    pub fn pointer_mut(memory: &mut dyn Stored) -> Option<*mut c_void> {
        (memory as &mut dyn Any).downcast_mut::<Array>().map(|array| array.lines.as_mut_ptr().cast())
    }
}

impl Stored for Array {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.copies.fetch_add(1, Ordering::Relaxed);
        bytemuck::cast_slice_mut(&mut self.lines)[..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn read(&self, bytes: &mut [u8]) -> Result<(), Error> {
        self.copies.fetch_add(1, Ordering::Relaxed);
        bytes.copy_from_slice(&bytemuck::cast_slice(&self.lines)[..bytes.len()]);
        Ok(())
    }

    /// Runs are done when they return.
    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }
}
