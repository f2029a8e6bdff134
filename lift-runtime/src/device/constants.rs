//! Which `const` arguments a device has seen last.

use super::driver::Arguments;
use crate::threads;
use lift_core::kernel::Plan;

/// Arrays of fewer bytes are hashed before another thread has woken up.
const ALONE: usize = 1 << 18;

/// A fingerprint of the `const` arguments of a run. Different arguments have the same fingerprint
/// no more often than memory fails.
pub fn fingerprint(plan: &Plan, arguments: Arguments<'_>) -> blake3::Hash {
    if let Some(known) = arguments.constants {
        return known;
    }
    let mut hasher = blake3::Hasher::new();
    for n in &plan.constants {
        // Lengths are the signature's: arguments can't run into each other.
        match arguments[*n] {
            large if large.len() >= ALONE && threads::are_several() => hasher.update_rayon(large),
            other => hasher.update(other),
        };
    }
    hasher.finalize()
}
