//! Kernels that were built for a device at fixed sizes.

use crate::device::driver::Loaded;
use crate::signature::Signature;
use lift_core::Sizes;
use lift_core::kernel::{Memory, Plan};
use std::sync::atomic::AtomicBool;

/// Loaded kernels, with all that is needed to run them. The device remembers this, so it must not hold the device.
pub(crate) struct Built {
    /// The kernels, buffers and launches.
    pub(crate) plan: Plan,
    /// The slots that the plan's buffers share.
    pub(crate) memory: Memory,
    /// The types and shapes of arguments and results.
    pub(crate) signature: Signature,
    /// The sizes that all this holds for.
    pub(crate) sizes: Sizes,
    /// The kernels, as the device holds them.
    pub(crate) loaded: Box<dyn Loaded>,
    /// Has it run before?
    pub(crate) warm: AtomicBool,
}

impl Built {
    pub(crate) fn new(plan: Plan, memory: Memory, signature: Signature, loaded: Box<dyn Loaded>) -> Built {
        let sizes = Sizes(plan.sizes.clone());
        Built { plan, memory, signature, sizes, loaded, warm: AtomicBool::new(false) }
    }
}
