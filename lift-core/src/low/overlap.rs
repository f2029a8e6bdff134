//! Dimensions whose elements share places where they are written: of what `joinOverlap` puts together the last of the
//! rows that have an element writes it, so that one work-item has to write them all, in order.

use super::{Indexed, Motion};
use crate::nat::{Maker, Nat, Var};
use std::collections::BTreeSet;

/// Dimensions of a value that is written, counted from the outermost.
#[derive(Clone, Default, Debug)]
pub struct Overlap(BTreeSet<usize>);

impl Overlap {
    /// Do the elements of the outermost dimension share places?
    pub fn outermost(&self) -> bool {
        self.0.contains(&0)
    }

    /// The same dimensions, counted in an element.
    pub fn inner(&self) -> Overlap {
        Overlap(self.0.iter().filter_map(|d| d.checked_sub(1)).collect())
    }

    fn outer(&self) -> Overlap {
        Overlap(self.0.iter().map(|d| d + 1).collect())
    }
}

impl Motion {
    /// Do elements of what it moves share places, whatever becomes of its result?
    pub fn shares_places(&self) -> bool {
        !self.overlap(&Overlap::default()).0.is_empty()
    }

    /// Of the value that it moves, the dimensions that become these.
    pub fn overlap(&self, result: &Overlap) -> Overlap {
        match self {
            Motion::Layout(indexed) => indexed.overlap(result),
            Motion::Single => result.inner(),
            Motion::Unzip(_) | Motion::AsScalar(_) | Motion::AsVector(_) => result.clone(),
            Motion::Each(motions) => {
                let mut each = motions.iter().fold(result.inner(), |of, motion| motion.overlap(&of)).outer();
                each.0.extend(result.outermost().then_some(0));
                each
            }
        }
    }
}

impl Indexed {
    /// Of its operand, the dimensions that become these, and its own.
    pub fn overlap(&self, result: &Overlap) -> Overlap {
        let Some((arity, map)) = self.layout.write else { return result.clone() };
        let indices: Vec<Var> = (0..arity).map(|k| Var::made(Maker::Origin, "index", k as u32)).collect();
        let places = map(&self.bindings, &indices.iter().map(Nat::var).collect::<Vec<_>>());
        let mut found: BTreeSet<usize> =
            result.0.iter().filter_map(|d| (d + arity).checked_sub(places.len())).collect();
        // Those inside of what it moves keep their order; which of the others it is made of, the index says.
        found.retain(|d| *d >= arity);
        let shared = |k: usize| {
            result.0.iter().any(|d| places.get(*d).is_some_and(|place| place.contains(&indices[k])))
        };
        found.extend((0..arity).filter(|k| shared(*k)));
        found.extend(self.layout.overlaps.then_some(0));
        Overlap(found)
    }
}
