//! Vectors whose lanes are far apart in memory, while what lies beside each lane is wanted by the iterations of a loop: as where
//! a tile of a matrix is copied by columns and the matrix lies in rows. As many rows as there are lanes are loaded as vectors,
//! and turned in registers: every line of memory is read once, by one instruction, and no lane is put in its place alone.
//!
//! Two vectors of n lanes are shuffled perfectly, as a deck of cards is, into two others; after log₂ n rounds of all pairs
//! half the rows apart, rows are columns (Stone 1971, "Parallel Processing with the Perfect Shuffle").

use crate::hierarchy::Parallel;
use crate::kernel::{Array, Change, Expr, Local, LocalId, Stmt};
use crate::nat::{Nat, Var};
use std::sync::Arc;

/// Of fewer lanes, putting them together one by one is as fast.
const LANES: usize = 8;

/// Rewrites loops that do nothing but copy such vectors; on a processor, whose vectors have so many bytes, also those that copy
/// scalars in this way. `fresh` is a number above that of all variables.
pub fn in_registers(
    body: &[Stmt],
    value: &dyn Fn(&Nat) -> Option<usize>,
    vector: Option<usize>,
    fresh: &mut u32,
) -> Vec<Stmt> {
    let turned = |stmt: &Stmt, fresh: &mut u32| match stmt {
        Stmt::Loop { .. } => {
            let of_vectors = vector.and_then(|bytes| in_vectors(stmt, bytes, value));
            Nest::of(of_vectors.as_ref().unwrap_or(stmt))?.turned(value, fresh)
        }
        _ => None,
    };
    let each = |stmt: &Stmt| {
        turned(stmt, fresh).unwrap_or_else(|| {
            stmt.rebuilt(&mut Expr::clone, &mut |block| in_registers(block, value, vector, fresh))
        })
    };
    body.iter().map(each).collect()
}

/// Loops around a single copy of a scalar, the innermost over neighbours of the result, as loops around one of a vector.
fn in_vectors(stmt: &Stmt, bytes: usize, value: &dyn Fn(&Nat) -> Option<usize>) -> Option<Stmt> {
    let Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } = stmt else { return None };
    let [inner] = &body[..] else { return None };
    let Stmt::Store(to, index, Expr::Load(from, place, 1)) = inner else {
        let body = vec![in_vectors(inner, bytes, value)?];
        return Some(Stmt::Loop {
            var: var.clone(),
            extent: extent.clone(),
            parallel: Parallel::Sequential,
            body,
        });
    };
    let count = bytes / to.scalar.bytes();
    let (step, _) = index.linear_in(var)?;
    let beside = to.width == 1 && from.width == 1 && step.as_constant() == Some(1);
    if !beside || count < LANES || !value(extent)?.is_multiple_of(count) {
        return None;
    }
    let lanes = Nat::from(count as i64);
    let first = Nat::var(var) * &lanes;
    let at = |n: &Nat, k: usize| n.substitute(&|v| (v == var).then(|| &first + Nat::from(k as i64)));
    let loads = (0..count).map(|k| Expr::Load(from.clone(), at(place, k), 1)).collect();
    let body = vec![Stmt::Store(to.clone(), at(index, 0), Expr::Lanes(loads))];
    Some(Stmt::Loop { var: var.clone(), extent: extent.div(&lanes), parallel: Parallel::Sequential, body })
}

/// Loops of one work-item around a single store of a vector.
struct Nest<'a> {
    /// From the outside in.
    loops: Vec<(&'a Var, &'a Nat)>,
    to: &'a Arc<Array>,
    index: &'a Nat,
    lanes: &'a [Expr],
}

impl Nest<'_> {
    fn of(stmt: &Stmt) -> Option<Nest<'_>> {
        match stmt {
            Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } => {
                let [inner] = &body[..] else { return None };
                let mut nest = Nest::of(inner)?;
                nest.loops.insert(0, (var, extent));
                Some(nest)
            }
            Stmt::Store(to, index, Expr::Lanes(lanes)) => Some(Nest { loops: vec![], to, index, lanes }),
            _ => None,
        }
    }

    fn turned(&self, value: &dyn Fn(&Nat) -> Option<usize>, fresh: &mut u32) -> Option<Stmt> {
        let count = self.lanes.len();
        let (from, places) = self.rows()?;
        if count < LANES || !count.is_power_of_two() || from.id == self.to.id {
            return None;
        }
        // The loop whose next iteration wants what is beside.
        let beside = |var: &Var| {
            let next =
                |place: &Nat| place.linear_in(var).is_some_and(|(step, _)| step.as_constant() == Some(1));
            places.iter().all(|place| next(place))
        };
        let along = self.loops.iter().position(|(var, _)| beside(var))?;
        let (var, extent) = self.loops[along];
        if !value(extent)?.is_multiple_of(count) || !self.is_in_any_order(value) {
            return None;
        }
        let lanes = Nat::from(count as i64);
        let first = Nat::var(var) * &lanes;
        let at =
            |place: &Nat, k: usize| place.substitute(&|v| (v == var).then(|| &first + Nat::from(k as i64)));
        let mut done = vec![];
        let mut rows: Vec<Local> = places
            .iter()
            .map(|place| {
                let load = Expr::Load(from.clone(), at(place, 0), count as u8);
                declared("row", from, load, fresh, &mut done)
            })
            .collect();
        for _ in 0..count.ilog2() {
            let halves =
                |half: usize, k: usize| (half * count / 2..(half + 1) * count / 2).map(move |lane| (k, lane));
            let shuffled: Vec<Expr> = (0..count)
                .map(|n| {
                    let pair = [&rows[n / 2], &rows[n / 2 + count / 2]];
                    let of = |(k, lane): (usize, usize)| {
                        Expr::Lane(Expr::Local(pair[k].clone()).into(), lane as u8)
                    };
                    Expr::Lanes(
                        halves(n % 2, 0).zip(halves(n % 2, 1)).flat_map(|(a, b)| [of(a), of(b)]).collect(),
                    )
                })
                .collect();
            rows = shuffled.into_iter().map(|e| declared("turned", from, e, fresh, &mut done)).collect();
        }
        done.extend(
            (0..).zip(&rows).map(|(k, column)| {
                Stmt::Store(self.to.clone(), at(self.index, k), Expr::Local(column.clone()))
            }),
        );
        // Innermost is the loop along the rows, so that all of a line is read before it is lost to others.
        let others = self.loops.iter().enumerate().filter(|(k, _)| *k != along).rev();
        let around = others.map(|(_, (var, extent))| (*var, (*extent).clone()));
        let looped = |body, (var, extent): (&Var, Nat)| {
            vec![Stmt::Loop { var: var.clone(), extent, parallel: Parallel::Sequential, body }]
        };
        [(var, extent.div(&lanes))].into_iter().chain(around).fold(done, looped).pop()
    }

    /// The array that all lanes are loaded from, and where each is.
    fn rows(&self) -> Option<(&Arc<Array>, Vec<&Nat>)> {
        let loads = self.lanes.iter().map(|lane| match lane {
            Expr::Load(array, place, 1) => Some((array, place)),
            _ => None,
        });
        let loads: Vec<_> = loads.collect::<Option<_>>()?;
        let (from, _) = loads.first()?;
        let same = loads.iter().all(|(array, _)| array.id == from.id);
        same.then(|| (*from, loads.iter().map(|(_, place)| *place).collect()))
    }

    /// Does every iteration write a place of its own? Then their order does not matter.
    fn is_in_any_order(&self, value: &dyn Fn(&Nat) -> Option<usize>) -> bool {
        let step =
            |(var, extent): &(&Var, &Nat)| Some((value(&self.index.linear_in(var)?.0)?, value(extent)?));
        let Some(mut steps) = self.loops.iter().map(step).collect::<Option<Vec<_>>>() else { return false };
        steps.sort_unstable();
        let mut room = self.lanes.len() / usize::from(self.to.width).max(1);
        steps.into_iter().all(|(step, count)| {
            let apart = step >= room;
            room = step * count;
            apart
        })
    }
}

fn declared(name: &str, like: &Array, value: Expr, fresh: &mut u32, to: &mut Vec<Stmt>) -> Local {
    *fresh += 1;
    let (id, width) = (LocalId::Own(*fresh), value.width());
    let local = Local { name: Arc::from(name), id, scalar: like.scalar, width };
    to.push(Stmt::Declare { local: local.clone(), value, change: Change::Never });
    local
}

#[cfg(test)]
mod tests {
    use super::in_registers;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, LocalId, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::types::Scalar;
    use std::collections::HashMap;
    use std::sync::Arc;

    fn array(name: &str, id: u32, width: u8, space: Space) -> Arc<Array> {
        let (id, length) = (ArrayId::Own(id), Nat::from(4096));
        Arc::new(Array { name: name.into(), id, scalar: Scalar::F32, width, space, length, registers: false })
    }

    fn index(name: &str) -> Var {
        Var::made(Maker::Comparison, name, 0)
    }

    fn looped(var: Var, extent: i64, body: Stmt) -> Stmt {
        let (extent, parallel, body) = (Nat::from(extent), Parallel::Sequential, vec![body]);
        Stmt::Loop { var, extent, parallel, body }
    }

    /// `for t in 0..terms { for d in 0..2 { tile[2 t + d] = [xs[100 (8 d + l) + apart * t] for l in 0..lanes] } }`
    fn copied(lanes: i64, terms: i64, apart: i64, step: i64) -> Vec<Stmt> {
        let (t, d) = (index("t"), index("d"));
        let place = |l: i64| {
            (Nat::var(&d) * Nat::from(8) + Nat::from(l)) * Nat::from(100) + Nat::var(&t) * Nat::from(apart)
        };
        let xs = array("xs", 1, 1, Space::Global);
        let lanes = (0..lanes).map(|l| Expr::Load(xs.clone(), place(l), 1)).collect();
        let to = array("tile", 2, 8, Space::Private);
        let at = Nat::var(&t) * Nat::from(step) + Nat::var(&d);
        vec![looped(t, terms, looped(d, 2, Stmt::Store(to, at, Expr::Lanes(lanes))))]
    }

    fn done(body: &[Stmt]) -> Vec<Stmt> {
        in_registers(body, &|n| usize::try_from(n.as_constant()?).ok(), None, &mut 100)
    }

    /// What is in each element of the tile in the end: the places of `xs` that its lanes come from.
    fn tile(stmts: &[Stmt], at: &HashMap<Var, i64>, found: &mut HashMap<i64, Vec<i64>>) {
        let number = |n: &Nat| n.eval(&|v| at.get(v).copied()).expect("a number");
        let mut known: HashMap<LocalId, Vec<i64>> = HashMap::new();
        let lanes = |e: &Expr, known: &HashMap<LocalId, Vec<i64>>| -> Vec<i64> {
            let lane = |e: &Expr| match e {
                Expr::Load(_, place, 1) => number(place),
                Expr::Lane(of, k) => match &**of {
                    Expr::Local(local) => known[&local.id][usize::from(*k)],
                    other => panic!("a lane of {other:?}"),
                },
                other => panic!("{other:?}"),
            };
            match e {
                Expr::Load(_, place, width) => (0..i64::from(*width)).map(|k| number(place) + k).collect(),
                Expr::Lanes(parts) => parts.iter().map(lane).collect(),
                Expr::Local(local) => known[&local.id].clone(),
                other => panic!("{other:?}"),
            }
        };
        for stmt in stmts {
            match stmt {
                Stmt::Loop { var, extent, body, .. } => {
                    for k in 0..number(extent) {
                        let mut at = at.clone();
                        at.insert(var.clone(), k);
                        tile(body, &at, found);
                    }
                }
                Stmt::Declare { local, value, .. } => _ = known.insert(local.id, lanes(value, &known)),
                Stmt::Store(_, place, value) => _ = found.insert(number(place), lanes(value, &known)),
                other => panic!("{other:?}"),
            }
        }
    }

    fn tiles(body: &[Stmt]) -> HashMap<i64, Vec<i64>> {
        let mut found = HashMap::new();
        tile(body, &HashMap::new(), &mut found);
        found
    }

    #[test]
    fn rows_become_columns() {
        let before = copied(8, 24, 1, 2);
        let after = done(&before);
        assert_ne!(after, before);
        assert_eq!(tiles(&after), tiles(&before));
        // Nothing is loaded lane by lane.
        let mut widths = vec![];
        let mut see = |stmt: &Stmt| {
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| {
                    if let Expr::Load(_, _, width) = e {
                        widths.push(*width);
                    }
                });
            }
        };
        after.iter().for_each(|stmt| stmt.visit(&mut see));
        assert_eq!(widths, [8; 8]);
    }

    #[test]
    fn scalars_of_a_processor_are_copied_as_vectors_are() {
        // `for t in 0..24 { for k in 0..16 { ys[16 t + k] = xs[100 k + t] } }`
        let (t, k) = (index("t"), index("k"));
        let place = Nat::var(&k) * Nat::from(100) + Nat::var(&t);
        let load = Expr::Load(array("xs", 1, 1, Space::Global), place, 1);
        let to = Nat::var(&t) * Nat::from(16) + Nat::var(&k);
        let copy = looped(k, 16, Stmt::Store(array("ys", 2, 1, Space::Global), to, load));
        let before = vec![looped(t, 24, copy)];
        let after =
            |bytes| in_registers(&before, &|n| usize::try_from(n.as_constant()?).ok(), bytes, &mut 100);
        // Eight lanes of vectors are eight places beside each other.
        let places = |found: HashMap<i64, Vec<i64>>| {
            let each = |(at, from): (i64, Vec<i64>)| (at..).zip(from).collect::<Vec<_>>();
            found.into_iter().flat_map(each).collect::<HashMap<_, _>>()
        };
        assert_ne!(after(Some(32)), before);
        assert_eq!(places(tiles(&after(Some(32)))), places(tiles(&before)));
        // A GPU's work-items have no vectors of as many lanes, and four are too few.
        assert_eq!(after(None), before);
        assert_eq!(after(Some(16)), before);
    }

    #[test]
    fn other_copies_stay_as_they_are() {
        // No whole number of vectors; neighbours that are not beside each other; places that are written twice; few lanes.
        for body in [copied(8, 20, 1, 2), copied(8, 24, 3, 2), copied(8, 24, 1, 1), copied(4, 24, 1, 2)] {
            assert_eq!(done(&body), body);
        }
    }
}
