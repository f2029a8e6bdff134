//! Vectors of every second element, as windows with a stride of two read them: instead of lane by lane, the elements are loaded
//! as two vectors, and those that are wanted are picked from these. The second vector ends with the last element that is
//! wanted, so that nothing beyond it is read.

use crate::kernel::{Array, ArrayId, Change, Expr, Local, LocalId, Space, Stmt};
use crate::nat::Nat;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of fewer lanes, putting them together one by one is as fast.
const LANES: usize = 8;

/// Rewrites statements that put such vectors together. `value` knows the values of sizes; `fresh` is a number above that of
/// all variables.
pub fn in_two(body: &[Stmt], value: &dyn Fn(&Nat) -> Option<usize>, fresh: &mut u32) -> Vec<Stmt> {
    let mut written = BTreeSet::new();
    let mut see = |stmt: &Stmt| match stmt {
        Stmt::Store(array, ..) => _ = written.insert(array.id),
        Stmt::Comment(_)
        | Stmt::Declare { .. }
        | Stmt::Assign(..)
        | Stmt::Array(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::Loop { .. }
        | Stmt::If(..) => {}
    };
    body.iter().for_each(|stmt| stmt.visit(&mut see));
    Strided { written, value, fresh }.block(body)
}

struct Strided<'a> {
    /// What the kernel writes: of memory that is not private, others may be writing what lies between.
    written: BTreeSet<ArrayId>,
    value: &'a dyn Fn(&Nat) -> Option<usize>,
    fresh: &'a mut u32,
}

impl Strided<'_> {
    fn block(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        let mut done = vec![];
        for stmt in stmts {
            // Nothing but what the statement computes whatever happens is computed before it.
            let always = matches!(stmt, Stmt::Declare { .. } | Stmt::Assign(..) | Stmt::Store(..));
            let mut before = vec![];
            let stmt = match always {
                true => stmt.rebuilt(&mut |e| self.expr(e, &mut before), &mut |block| block.to_vec()),
                false => stmt.rebuilt(&mut Expr::clone, &mut |block| self.block(block)),
            };
            done.append(&mut before);
            done.push(stmt);
        }
        done
    }

    fn expr(&mut self, e: &Expr, before: &mut Vec<Stmt>) -> Expr {
        match e {
            Expr::Lanes(lanes) => match self.apart(lanes) {
                Some((array, first)) => self.picked(array, &first, lanes.len(), before),
                None => e.clone(),
            },
            Expr::Op(..) | Expr::Cast(..) => e.map_children(&mut |child| self.expr(child, before)),
            Expr::Literal(_)
            | Expr::Local(_)
            | Expr::Parameter { .. }
            | Expr::Index(..)
            | Expr::Test(_)
            | Expr::Load(..)
            | Expr::Splat(..)
            | Expr::Lane(..)
            | Expr::Select(..) => e.clone(),
        }
    }

    /// The array and the first index, if these are every second of its elements.
    fn apart<'e>(&self, lanes: &'e [Expr]) -> Option<(&'e Arc<Array>, Nat)> {
        let loads = lanes.iter().map(|lane| match lane {
            Expr::Load(array, index, 1) => Some((array, index)),
            _ => None,
        });
        let loads: Vec<_> = loads.collect::<Option<_>>()?;
        let (array, first) = *loads.first()?;
        let is_next = |(k, (other, index)): (usize, &(&Arc<Array>, &Nat))| {
            other.id == array.id && (self.value)(&(*index - first)) == Some(2 * k)
        };
        let alone = match array.space {
            Space::Private => true,
            Space::Global | Space::Local | Space::Constant => !self.written.contains(&array.id),
            Space::Items => false,
        };
        let many = lanes.len() >= LANES && array.width == 1;
        (many && alone && (0..).zip(&loads).all(is_next)).then(|| (array, first.clone()))
    }

    fn picked(&mut self, array: &Arc<Array>, first: &Nat, lanes: usize, before: &mut Vec<Stmt>) -> Expr {
        let mut load = |from: usize| {
            *self.fresh += 1;
            let (id, width) = (LocalId::Own(*self.fresh), lanes as u8);
            let local = Local { name: Arc::from("beside"), id, scalar: array.scalar, width };
            let value = Expr::Load(array.clone(), first + Nat::from(from as i64), width);
            before.push(Stmt::Declare { local: local.clone(), value, change: Change::Never });
            Expr::Local(local)
        };
        let [low, high] = [load(0), load(lanes - 1)];
        let of = |vector: &Expr, lane: usize| Expr::Lane(vector.clone().into(), lane as u8);
        let lane = |k: usize| match 2 * k {
            at if at < lanes => of(&low, at),
            at => of(&high, at + 1 - lanes),
        };
        Expr::Lanes((0..lanes).map(lane).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::in_two;
    use crate::hierarchy::Space;
    use crate::kernel::{Array, ArrayId, Change, Expr, Local, LocalId, Stmt};
    use crate::nat::Nat;
    use crate::scalar::Value;
    use crate::types::Scalar;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn array(id: u32, space: Space) -> Arc<Array> {
        let (name, length) = (Arc::from("xs"), Nat::from(100));
        Arc::new(Array {
            name,
            id: ArrayId::Own(id),
            scalar: Scalar::F32,
            width: 1,
            space,
            length,
            registers: false,
        })
    }

    fn lanes(from: &Arc<Array>, count: i64, step: i64) -> Expr {
        Expr::Lanes((0..count).map(|k| Expr::Load(from.clone(), Nat::from(5 + step * k), 1)).collect())
    }

    fn declared(value: Expr) -> Stmt {
        let local =
            Local { name: "x".into(), id: LocalId::Own(1), scalar: Scalar::F32, width: value.width() };
        Stmt::Declare { local, value, change: Change::Never }
    }

    fn value(n: &Nat) -> Option<usize> {
        usize::try_from(n.as_constant()?).ok()
    }

    /// The index of the element in each lane of the last vector, and the largest that is read.
    fn elements(stmts: &[Stmt]) -> (Vec<i64>, i64) {
        let mut known: HashMap<LocalId, Vec<i64>> = HashMap::new();
        let (mut last, mut most) = (vec![], 0);
        for stmt in stmts {
            let Stmt::Declare { local, value, .. } = stmt else { panic!("{stmt:?}") };
            last = match value {
                Expr::Load(_, at, width) => {
                    let at = at.as_constant().expect("a number");
                    (at..at + i64::from(*width)).collect()
                }
                Expr::Lanes(parts) => parts
                    .iter()
                    .map(|part| match part {
                        Expr::Lane(of, k) => match &**of {
                            Expr::Local(local) => known[&local.id][usize::from(*k)],
                            other => panic!("a lane of {other:?}"),
                        },
                        other => panic!("{other:?}"),
                    })
                    .collect(),
                other => panic!("{other:?}"),
            };
            most = most.max(last.iter().copied().max().unwrap_or(0));
            known.insert(local.id, last.clone());
        }
        (last, most)
    }

    #[test]
    fn every_second_element_comes_from_two_vectors() {
        for count in [8, 16] {
            let body = [declared(lanes(&array(2, Space::Global), count, 2))];
            let done = in_two(&body, &value, &mut 10);
            assert_eq!(done.len(), 3);
            let wanted: Vec<i64> = (0..count).map(|k| 5 + 2 * k).collect();
            assert_eq!(elements(&done), (wanted, 5 + 2 * (count - 1)));
        }
    }

    #[test]
    fn others_stay_as_they_are() {
        let xs = array(2, Space::Global);
        let zero = Expr::Literal(Value::from_integer(0, Scalar::F32)).splat(8);
        let guarded =
            Expr::Select(Expr::Literal(Value::Bool(true)).into(), lanes(&xs, 8, 2).into(), zero.into());
        for vector in [lanes(&xs, 8, 3), lanes(&xs, 8, 1), lanes(&xs, 4, 2), guarded] {
            let body = vec![declared(vector)];
            assert_eq!(in_two(&body, &value, &mut 10), body);
        }
        // Another work-item may write what lies between; in private memory nobody does.
        for (space, statements) in [(Space::Global, 2), (Space::Private, 4)] {
            let xs = array(2, space);
            let one = Expr::Literal(Value::from_integer(1, Scalar::F32));
            let body = [declared(lanes(&xs, 8, 2)), Stmt::Store(xs.clone(), Nat::from(0), one)];
            assert_eq!(in_two(&body, &value, &mut 10).len(), statements, "{space:?}");
        }
    }
}
