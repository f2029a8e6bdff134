//! Which `const` arguments a device has seen last.

use super::driver::Arguments;
use crate::there::Operand;
use crate::threads;
use lift_core::kernel::Plan;

/// Arrays of fewer bytes are hashed before another thread has woken up.
const ALONE: usize = 1 << 18;

/// A fingerprint of the `const` arguments of a run. Different arguments have the same fingerprint
/// no more often than memory fails. Of an array on the device nothing is copied: the number of its contents stands for it.
pub fn fingerprint(plan: &Plan, arguments: Arguments<'_>) -> blake3::Hash {
    if let Some(known) = arguments.constants {
        return known;
    }
    let mut hasher = blake3::Hasher::new();
    for n in &plan.constants {
        // What is on the host begins otherwise than what is on the device, and lengths are the signature's: arguments can't run
        // into each other.
        match arguments[*n] {
            Operand::Host(large) if large.len() >= ALONE && threads::are_several() => {
                hasher.update(&[0]).update_rayon(large)
            }
            Operand::Host(other) => hasher.update(&[0]).update(other),
            Operand::There { identity, .. } => hasher.update(&[1]).update(&identity.to_ne_bytes()),
        };
    }
    hasher.finalize()
}
