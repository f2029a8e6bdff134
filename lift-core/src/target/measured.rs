//! What a device was measured to do, and what that changes of the figures of its family.

use super::{Class, Target};
use serde::Deserialize;

/// What a few small programs took on a device. Of one compute unit, unless it says otherwise.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Measured {
    /// Multiply-adds of 32-bit floats in a second, in registers.
    pub multiply_adds: f64,
    /// Bytes in a second that are read again and again, from near memory; infinite where it was not measured.
    pub near: f64,
    /// Bytes in a second that all units together read from the device's memory.
    pub far: f64,
    /// Seconds that a kernel takes which does next to nothing.
    pub launch: f64,
}

/// A device may be so many times as fast or as slow as its family's figures say. What is further off was measured wrongly.
const FURTHEST: f64 = 8.0;

impl Target {
    /// The same device with the figures that were measured. What takes how long is counted in instructions and bytes of near
    /// memory that stand for more than they say, and forms' times were compared with that; so these figures change
    /// in proportion to what was measured on the device that they are of, and stay where none is told. Nobody
    /// compared anything with those of an unknown family.
    #[must_use]
    pub fn calibrated(&self, measured: &Measured) -> Target {
        let mut costs = self.costs;
        let within = |new: f64, old: f64| {
            let sound = new.is_finite() && new > 0.0;
            if sound { new.clamp(old / FURTHEST, old * FURTHEST) } else { old }
        };
        costs.far = within(measured.far, costs.far);
        costs.launch = within(measured.launch, costs.launch);
        if let Some(reference) = self.family.measured() {
            costs.issue =
                within(self.family.issue() * measured.multiply_adds / reference.multiply_adds, costs.issue);
            costs.near = within(self.family.near() * measured.near / reference.near, costs.near);
        } else if self.family.is_unknown() {
            // One instruction of a processor computes with a vector.
            let at_once = match self.family.class() {
                Class::Processor => self.hierarchy.vector as f64 / size_of::<f32>() as f64,
                Class::Gpu => 1.0,
            };
            costs.issue = within(measured.multiply_adds / at_once, costs.issue);
            costs.near = within(measured.near, costs.near);
        }
        Target { costs, ..self.clone() }
    }
}
