//! Sums of the lanes of vectors: a running value that takes one lane after the other waits for each of them. Halves of
//! vectors are put together first, until one scalar is left.

use crate::kernel::{Change, Expr, Local, LocalId, Stmt};
use crate::scalar::Op;
use crate::types::Scalar;
use std::collections::HashSet;
use std::sync::Arc;

/// Narrower vectors stay as they are: two lanes have no halves to put together.
const LEAST: u8 = 4;

/// Rewrites statements in which running values take all lanes of vectors. Where floats keep their order (`strict`), only
/// what is the same in any order changes. `fresh` is a number above that of all variables.
pub fn put_together(body: Vec<Stmt>, strict: bool, fresh: &mut u32) -> Vec<Stmt> {
    let mut halves = Halves { strict, fresh, running: HashSet::new() };
    halves.block(&body)
}

struct Halves<'a> {
    strict: bool,
    fresh: &'a mut u32,
    /// The running values of reductions.
    running: HashSet<LocalId>,
}

/// A running value takes all lanes of these vectors.
struct Taken<'a> {
    local: &'a Local,
    op: Op,
    vectors: Vec<&'a Expr>,
    /// The number of statements that do it.
    statements: usize,
}

impl Halves<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut done = vec![];
        let mut rest = stmts;
        while let Some((stmt, others)) = rest.split_first() {
            if let Some(taken) = self.taken(rest) {
                self.put(&taken, &mut done);
                rest = &rest[taken.statements..];
                continue;
            }
            if let Stmt::Declare { local, change: Change::Reduction, .. } = stmt {
                self.running.insert(local.id);
            }
            done.push(stmt.rebuilt(&mut Expr::clone, &mut |body| self.block(body)));
            rest = others;
        }
        done
    }

    /// Do the first of these statements give a running value all lanes of vectors of one width, in order?
    fn taken<'a>(&self, stmts: &'a [Stmt]) -> Option<Taken<'a>> {
        let (local, op, vector, _) = self.lane(stmts.first()?)?;
        let width = vector.width();
        let mut taken = Taken { local, op, vectors: vec![], statements: 0 };
        for vector in stmts.chunks_exact(usize::from(width)) {
            let lanes = vector.iter().map(|stmt| self.lane(stmt)).collect::<Option<Vec<_>>>();
            let Some(&[(.., first, _), ..]) = lanes.as_deref() else { break };
            let same = |(k, (l, o, v, lane)): (u8, &(&Local, Op, &Expr, u8))| {
                *l == local && *o == op && *v == first && *lane == k
            };
            if first.width() != width || !(0..).zip(lanes.iter().flatten()).all(same) {
                break;
            }
            taken.vectors.push(first);
            taken.statements += usize::from(width);
        }
        (!taken.vectors.is_empty()).then_some(taken)
    }

    /// `local = local + vector[k]`, say, of a reduction whose terms may be taken in any order.
    fn lane<'a>(&self, stmt: &'a Stmt) -> Option<(&'a Local, Op, &'a Expr, u8)> {
        let Stmt::Assign(local, Expr::Op(op @ (Op::Add | Op::Mul | Op::Min | Op::Max), _, operands)) = stmt
        else {
            return None;
        };
        let [Expr::Local(running), Expr::Lane(vector, k)] = &operands[..] else { return None };
        let ordered = self.strict && local.scalar.is_float() && matches!(op, Op::Add | Op::Mul);
        let mut mentioned = false;
        vector.visit(&mut |e| mentioned |= matches!(e, Expr::Local(l) if l == local));
        let fits = running == local && self.running.contains(&local.id) && !ordered && !mentioned;
        (fits && vector.width() >= LEAST).then_some((local, *op, vector, *k))
    }

    fn put(&mut self, Taken { local, op, vectors, .. }: &Taken, done: &mut Vec<Stmt>) {
        let combined = |a: Expr, b: Expr| Expr::Op(*op, local.scalar, vec![a, b]);
        let mut all: Vec<Expr> = vectors.iter().map(|vector| (*vector).clone()).collect();
        // Two by two, so that none waits for all before it.
        while all.len() > 1 {
            let pairs = all.chunks(2).map(|pair| match pair {
                [a, b] => self.named(local.scalar, combined(a.clone(), b.clone()), done),
                _ => pair[0].clone(),
            });
            all = pairs.collect();
        }
        let mut vector = all.remove(0);
        while vector.width() > 1 {
            let half = vector.width() / 2;
            let part = |lanes: std::ops::Range<u8>| match lanes.len() {
                1 => vector.lane(lanes.start),
                _ => Expr::Lanes(lanes.map(|k| vector.lane(k)).collect()),
            };
            let both = combined(part(0..half), part(half..2 * half));
            vector = self.named(local.scalar, both, done);
        }
        done.push(Stmt::Assign((*local).clone(), combined(Expr::Local((*local).clone()), vector)));
    }

    /// The value of an expression under a name.
    fn named(&mut self, scalar: Scalar, value: Expr, done: &mut Vec<Stmt>) -> Expr {
        *self.fresh += 1;
        let width = value.width();
        let name = if width == 1 { "both" } else { "halves" };
        let local = Local { name: Arc::from(name), id: LocalId::Own(*self.fresh), scalar, width };
        done.push(Stmt::Declare { local: local.clone(), value, change: Change::Never });
        Expr::Local(local)
    }
}

#[cfg(test)]
mod tests {
    use super::put_together;
    use crate::kernel::{Change, Expr, Local, LocalId, Stmt};
    use crate::scalar::{Op, Value};
    use crate::types::Scalar;

    fn local(name: &str, id: u32, width: u8) -> Local {
        Local { name: name.into(), id: LocalId::Own(id), scalar: Scalar::F32, width }
    }

    /// `let sum = 0`, and then an assignment for each lane of these vectors.
    fn body(op: Op, change: Change, vectors: &[(u32, u8)]) -> Vec<Stmt> {
        let sum = local("sum", 1, 1);
        let zero = Expr::Literal(Value::from_f64(0.0, Scalar::F32));
        let mut body = vec![Stmt::Declare { local: sum.clone(), value: zero, change }];
        for (id, width) in vectors {
            body.extend((0..*width).map(|k| {
                let lane = Expr::Local(local("v", *id, *width)).lane(k);
                let value = Expr::Op(op, Scalar::F32, vec![Expr::Local(sum.clone()), lane]);
                Stmt::Assign(sum.clone(), value)
            }));
        }
        body
    }

    /// The widths of what is declared after the sum, and how often the sum is assigned to.
    fn shape(body: &[Stmt], strict: bool) -> (Vec<u8>, usize) {
        let done = put_together(body.to_vec(), strict, &mut 100);
        let widths = done[1..].iter().filter_map(|stmt| match stmt {
            Stmt::Declare { local, .. } => Some(local.width),
            _ => None,
        });
        let assigned = done.iter().filter(|stmt| matches!(stmt, Stmt::Assign(..))).count();
        (widths.collect(), assigned)
    }

    #[test]
    fn halves_of_vectors_are_put_together() {
        let of = |vectors: &[(u32, u8)]| shape(&body(Op::Add, Change::Reduction, vectors), false);
        assert_eq!(of(&[(2, 16)]), (vec![8, 4, 2, 1], 1));
        // Three vectors: the first two, both with the third, and then halves.
        assert_eq!(of(&[(2, 8), (3, 8), (4, 8)]), (vec![8, 8, 4, 2, 1], 1));
        // Of another width each by itself.
        assert_eq!(of(&[(2, 8), (3, 4)]), (vec![4, 2, 1, 2, 1], 2));
        // Two scalars are no vector.
        assert_eq!(of(&[(2, 2)]), (vec![], 2));
    }

    #[test]
    fn what_has_an_order_keeps_it() {
        let lanes = [(2, 4)];
        assert_eq!(shape(&body(Op::Add, Change::Freely, &lanes), false), (vec![], 4));
        assert_eq!(shape(&body(Op::Sub, Change::Reduction, &lanes), false), (vec![], 4));
        assert_eq!(shape(&body(Op::Add, Change::Reduction, &lanes), true), (vec![], 4));
        assert_eq!(shape(&body(Op::Max, Change::Reduction, &lanes), true), (vec![2, 1], 1));
        // Not all lanes, or not in order.
        let mut some = body(Op::Add, Change::Reduction, &lanes);
        some.swap(1, 2);
        assert_eq!(shape(&some, false), (vec![], 4));
        assert_eq!(shape(&some[..4], false), (vec![], 3));
    }
}
