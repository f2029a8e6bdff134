//! Cases at sizes that stand in no table: what nobody looked at.

use super::Case;
use crate::operation::Operation;
use std::collections::HashMap;

/// What is smaller stays: windows, strides, padding, and pictures that windows would no longer fit into.
const LEAST: usize = 14;

/// Sizes that are no extents, whatever their values: windows, strides, dilation, padding.
const FIXED: [&str; 6] = ["S", "P", "D", "T", "KH", "KW"];

impl Case {
    /// The same at other sizes: each that is an extent is 0.4 to 1.3 times as large, and those that are equal stay equal.
    /// `None` where the program does not admit these, or none changes.
    pub fn drawn(&self, rng: &mut fastrand::Rng) -> Option<Case> {
        let mut others: HashMap<usize, usize> = HashMap::new();
        let mut other = |old: usize| {
            let drawn = |rng: &mut fastrand::Rng| {
                // Half of those that are multiples of eight are so again, as most layers' channels are.
                let whole = if old.is_multiple_of(8) && rng.bool() { 8 } else { 1 };
                (old as f64 * (0.4 + 0.9 * rng.f64())) as usize / whole * whole
            };
            if old < LEAST { old } else { *others.entry(old).or_insert_with(|| drawn(rng)) }
        };
        let names = (self.program)().given().map(|size| size.var.name.to_string()).collect::<Vec<_>>();
        let changed = names.iter().zip(&self.sizes);
        let sizes: Vec<usize> =
            changed.map(|(name, old)| if FIXED.contains(&&**name) { *old } else { other(*old) }).collect();
        let operation = match self.operation.clone() {
            Operation::Product { transpose_a, transpose_b, depth } => {
                Operation::Product { transpose_a, transpose_b, depth: other(depth) }
            }
            Operation::Conv(mut conv) => {
                conv.groups = other(conv.groups);
                Operation::Conv(conv)
            }
            unchanged => unchanged,
        };
        let told: Vec<String> =
            names.iter().zip(&sizes).map(|(name, size)| format!("{name}={size}")).collect();
        let drawn =
            Case { name: format!("{}: {}", self.name, told.join(" ")), sizes, operation, ..self.clone() };
        let new = drawn.sizes != self.sizes && (self.program)().admits(&drawn.named()).is_ok();
        new.then_some(drawn)
    }
}
