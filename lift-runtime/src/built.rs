//! Kernels that were built for a device at fixed sizes.

use crate::device::driver::Loaded;
use crate::signature::Signature;
use lift_core::Sizes;
use lift_core::kernel::{Memory, Plan};
use std::sync::atomic::AtomicBool;

/// What the device remembers; it must not hold the device.
pub(crate) struct Built {
    pub(crate) plan: Plan,
    pub(crate) memory: Memory,
    pub(crate) signature: Signature,
    pub(crate) sizes: Sizes,
    pub(crate) loaded: Box<dyn Loaded>,
    pub(crate) warm: AtomicBool,
}

impl Built {
    pub(crate) fn new(plan: Plan, memory: Memory, signature: Signature, loaded: Box<dyn Loaded>) -> Built {
        let sizes = Sizes(plan.sizes.clone());
        Built { plan, memory, signature, sizes, loaded, warm: AtomicBool::new(false) }
    }
}
