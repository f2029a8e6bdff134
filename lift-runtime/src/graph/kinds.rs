//! Groups of a graph that are computed in the same way.

use crate::Error;
use lift_core::graph::{Graph, Group};
use lift_core::{Program, Sizes};

/// A program at its sizes: what groups have in common that are computed in the same way.
#[derive(PartialEq)]
pub(super) struct Kind {
    pub program: Program,
    pub sizes: Sizes,
}

/// The kinds of a graph's groups, and for each group the number of its kind.
pub(super) struct Kinds {
    pub kinds: Vec<Kind>,
    pub steps: Vec<usize>,
}

impl Kinds {
    pub fn of(graph: &Graph, groups: &[Group], sizes: &Sizes) -> Result<Kinds, Error> {
        let (mut kinds, mut steps) = (vec![], vec![]);
        for group in groups {
            let sizes = group.program.solve(&[], &graph.shapes(group, sizes)?)?;
            let kind = Kind { program: group.program.clone(), sizes };
            let known = kinds.iter().position(|other| *other == kind);
            steps.push(known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }));
        }
        Ok(Kinds { kinds, steps })
    }
}

/// The values of sizes, in their order.
pub(super) fn numbers(sizes: &Sizes) -> Vec<usize> {
    sizes.0.iter().map(|(_, value)| usize::try_from(*value).unwrap_or(usize::MAX)).collect()
}

/// The numbers of the kinds that are of one program each.
pub(super) fn by_program(kinds: &[Kind]) -> Vec<Vec<usize>> {
    let mut numbers: Vec<Vec<usize>> = vec![];
    for (number, kind) in kinds.iter().enumerate() {
        match numbers.iter_mut().find(|some| kinds[some[0]].program == kind.program) {
            Some(some) => some.push(number),
            None => numbers.push(vec![number]),
        }
    }
    numbers
}
