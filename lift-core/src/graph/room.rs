//! How much memory each group of a graph may use besides its arrays without the network needing more.

use super::{Graph, Group, Value};
use crate::program::{SizeError, Sizes};
use std::collections::BTreeMap;

impl Graph {
    /// For each group, the bytes that it can take for what it computes in between: those that the arrays between groups take where they
    /// take most, less those that they take while this group is computed.
    ///
    /// # Errors
    /// A length that no number can hold.
    pub fn room(&self, groups: &[Group], sizes: &Sizes) -> Result<Vec<usize>, SizeError> {
        // From the group that makes an array to the last one that reads it.
        let mut lives: BTreeMap<Value, (usize, usize)> = BTreeMap::new();
        for (step, group) in groups.iter().enumerate() {
            for value in group.arguments.iter().chain(&group.results) {
                lives.entry(*value).or_insert((step, step)).1 = step;
            }
        }
        for (_, value) in &self.outputs {
            if let Some((_, last)) = lives.get_mut(value) {
                *last = groups.len();
            }
        }
        let mut taken = vec![0_usize; groups.len()];
        for (value, (first, last)) in lives {
            let edge = &self.edges[value.index];
            if edge.constant || self.parameters.contains(&value) {
                continue;
            }
            let scalar = edge.ty.shape().1.as_scalar().map_or(0, |scalar| scalar.bytes());
            let bytes = self.shape(value, sizes)?.into_iter().fold(scalar, usize::saturating_mul);
            for step in taken.iter_mut().take(last + 1).skip(first) {
                *step = step.saturating_add(bytes);
            }
        }
        let most = taken.iter().copied().max().unwrap_or(0);
        Ok(taken.into_iter().map(|bytes| most - bytes).collect())
    }
}
