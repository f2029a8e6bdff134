//! Short copies as vectors: a loop that only copies a few neighbours is two vectors, the second of which ends where the loop
//! does. C compilers leave many of these loops as they are, or write them out scalar by scalar.

use super::{Array, Expr, Kernel, Module, Parallel, Stmt};
use crate::nat::{Nat, Var};
use crate::types::Scalar;
use std::sync::Arc;

/// The widest vectors hold this many floats. Compilers make vectors of loops that fill one by themselves; shorter loops they often
/// write out.
pub(super) const LONG: i64 = 16;

/// Two vectors of this width reach over any shorter loop.
const WIDEST: u8 = 8;

/// The same module, such copies of its kernels as vectors.
pub fn in_vectors(module: &Module) -> Module {
    let copies = Copies { size: &|var| module.size(var) };
    let kernels = module.kernels.iter().map(|kernel| Kernel {
        body: copies.block(&kernel.body),
        item: kernel.item.as_deref().map(|item| copies.block(item)),
        ..kernel.clone()
    });
    Module { kernels: kernels.collect(), ..module.clone() }
}

struct Copies<'a> {
    size: &'a dyn Fn(&Var) -> Option<i64>,
}

impl Copies<'_> {
    fn block(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        let copied = |stmt: &Stmt| {
            self.copied(stmt)
                .unwrap_or_else(|| vec![stmt.rebuilt(&mut Expr::clone, &mut |block| self.block(block))])
        };
        stmts.iter().flat_map(copied).collect()
    }

    fn copied(&self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } = stmt else { return None };
        let [Stmt::Store(to, place, Expr::Load(from, index, 1))] = &body[..] else { return None };
        let length = extent.eval(&|v| (self.size)(v)).ok().filter(|length| (2..LONG).contains(length))?;
        let scalars = |array: &Array| array.width == 1 && array.scalar != Scalar::Bool;
        let apart = to.id != from.id && to.scalar == from.scalar && scalars(to) && scalars(from);
        // From each of a pair of indices to the next is one element.
        let beside =
            |n: &Nat| n.linear_in(var).filter(|(step, _)| *step == Nat::constant(1)).map(|(_, first)| first);
        let (to_first, from_first) = (beside(place)?, beside(index)?);
        let width = std::iter::successors(Some(WIDEST), |width| Some(width / 2))
            .find(|width| i64::from(*width) <= length)?;
        let vector = |first: i64| {
            let load = Expr::Load(Arc::clone(from), &from_first + first, width);
            Stmt::Store(Arc::clone(to), &to_first + first, load)
        };
        let starts = [0, length - i64::from(width)];
        apart.then(|| {
            starts[..if starts[1] == 0 { 1 } else { 2 }].iter().map(|first| vector(*first)).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Copies;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::types::Scalar;
    use std::sync::Arc;

    fn array(id: u32, scalar: Scalar) -> Arc<Array> {
        let (length, space) = (Nat::from(100), Space::Private);
        let (id, name) = (ArrayId::Own(id), format!("array{id}").into());
        Arc::new(Array { name, id, scalar, width: 1, space, length, registers: false })
    }

    /// `to[3 + k] = from[step * k + 5]` for so many `k`, and what becomes of it: where vectors begin in both, and their widths.
    fn copied(length: i64, step: i64, from: Arc<Array>) -> Option<Vec<(i64, i64, u8)>> {
        let k = Var::made(Maker::Comparison, "k", 0);
        let index = Nat::var(&k) * step + 5;
        let body = vec![Stmt::Store(array(1, Scalar::F32), Nat::var(&k) + 3, Expr::Load(from, index, 1))];
        let stmt = Stmt::Loop { var: k, extent: length.into(), parallel: Parallel::Sequential, body };
        let number = |n: &Nat| n.as_constant().expect("a number");
        let copies = Copies { size: &|_| None }.copied(&stmt)?;
        let places = copies.iter().map(|stmt| match stmt {
            Stmt::Store(_, to, Expr::Load(_, from, width)) => (number(to), number(from), *width),
            other => panic!("{other:?}"),
        });
        Some(places.collect())
    }

    #[test]
    fn two_vectors_cover_a_short_copy() {
        let of = |length| copied(length, 1, array(2, Scalar::F32));
        assert_eq!(of(14), Some(vec![(3, 5, 8), (9, 11, 8)]));
        assert_eq!(of(8), Some(vec![(3, 5, 8)]));
        assert_eq!(of(7), Some(vec![(3, 5, 4), (6, 8, 4)]));
        assert_eq!(of(3), Some(vec![(3, 5, 2), (4, 6, 2)]));
        for length in 2..16 {
            let copies = of(length).expect("a copy");
            let reached = copies.iter().flat_map(|(to, _, width)| *to..to + i64::from(*width));
            let mut reached: Vec<i64> = reached.collect();
            reached.sort_unstable();
            reached.dedup();
            assert_eq!(reached, (3..3 + length).collect::<Vec<_>>());
        }
    }

    #[test]
    fn other_loops_stay() {
        assert_eq!(copied(16, 1, array(2, Scalar::F32)), None, "compilers do it");
        assert_eq!(copied(1, 1, array(2, Scalar::F32)), None, "one element");
        assert_eq!(copied(8, 2, array(2, Scalar::F32)), None, "not neighbours");
        assert_eq!(copied(8, 1, array(2, Scalar::I32)), None, "another type");
        assert_eq!(copied(8, 1, array(1, Scalar::F32)), None, "an iteration may read what another wrote");
    }
}
