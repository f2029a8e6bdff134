//! How much memory each group of a graph may use besides its arrays without the network needing more.

use super::{Graph, Group, Maker, Value};
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
        // What begins to be taken at each step, less what ends before it; a step more for what stays to the end.
        let mut changes = vec![0_i128; groups.len() + 2];
        for (value, (first, last)) in lives {
            let edge = &self.edges[value.index];
            if edge.constant || edge.maker != Maker::Node {
                continue;
            }
            let scalar = edge.ty.shape().1.as_scalar().map_or(0, |scalar| scalar.bytes());
            let bytes = self.shape(value, sizes)?.into_iter().fold(scalar, usize::saturating_mul);
            changes[first] += bytes as i128;
            changes[last + 1] -= bytes as i128;
        }
        let mut sum = 0;
        let at_step = |change: &i128| {
            sum += change;
            usize::try_from(sum).unwrap_or(usize::MAX)
        };
        let taken: Vec<usize> = changes[..groups.len()].iter().map(at_step).collect();
        let most = taken.iter().copied().max().unwrap_or(0);
        Ok(taken.into_iter().map(|bytes| most - bytes).collect())
    }
}
