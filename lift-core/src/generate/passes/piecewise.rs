//! Copies that are made while there is something to compute.
//!
//! A work-item of a processor copies what several tiles are multiplied with, and computes on the way what the program says of it; then
//! it goes over the copy for each tile. While it copies it waits for memory, and while it multiplies memory waits. So the copy is made
//! piece by piece in the loop of the first tile: a processor that executes out of order fetches and computes the next piece while it
//! multiplies.

use crate::kernel::{Array, ArrayId, Expr, LocalId, Parallel, Space, Stmt};
use crate::nat::{Condition, Facts, Nat, Var};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The same statements, with copies in the loops that read them first. `value` knows the values of sizes.
pub fn copies(body: &[Stmt], facts: &Facts, value: &dyn Fn(&Nat) -> Option<usize>) -> Vec<Stmt> {
    let within = |stmt: &Stmt| {
        let mut inside = facts.clone();
        if let Stmt::Loop { var, extent, .. } = stmt {
            inside.range(var, &Nat::constant(0), extent);
        }
        stmt.rebuilt(&mut Expr::clone, &mut |block| copies(block, &inside, value))
    };
    let mut done: Vec<Stmt> = body.iter().map(within).collect();
    let mut at = 0;
    while at < done.len() {
        let rest = &done[at + 1..];
        let found = Copying::of(&done[at]).and_then(|copying| {
            let reader = rest.iter().position(|stmt| touches(stmt, copying.array.id))?;
            let moved = copying.within(&rest[reader], &mut vec![], facts, value)?;
            copying.stays(&rest[..reader]).then_some((at + 1 + reader, moved))
        });
        match found {
            Some((reader, moved)) => {
                done[reader] = moved;
                done.remove(at);
            }
            None => at += 1,
        }
    }
    done
}

/// A loop that does nothing but store into one private array.
struct Copying<'a> {
    array: Arc<Array>,
    var: &'a Var,
    extent: &'a Nat,
    body: &'a [Stmt],
    /// The arrays and variables that it reads.
    reads: (BTreeSet<ArrayId>, BTreeSet<LocalId>),
}

impl<'a> Copying<'a> {
    fn of(stmt: &'a Stmt) -> Option<Copying<'a>> {
        let Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } = stmt else { return None };
        let (mut stored, mut simple) = (vec![], true);
        let (mut loaded, mut used) = (BTreeSet::new(), BTreeSet::new());
        let (mut own, mut assigned) = (BTreeSet::new(), BTreeSet::new());
        let mut see = |stmt: &Stmt| {
            match stmt {
                Stmt::Store(array, ..) => stored.push(array.clone()),
                Stmt::Declare { local, .. } => _ = own.insert(local.id),
                Stmt::Assign(local, _) => _ = assigned.insert(local.id),
                // Only indices are rewritten for the other loop, no lengths of loops.
                Stmt::Loop { extent, parallel: Parallel::Sequential, .. } => simple &= !extent.contains(var),
                Stmt::If(..) | Stmt::Comment(_) => {}
                Stmt::Loop { .. } | Stmt::Array(..) | Stmt::Barrier(_) | Stmt::Soon(..) => simple = false,
            }
            stmt.expr().into_iter().for_each(|e| {
                e.loads(&mut |array, _, _| _ = loaded.insert(array.id));
                e.visit(&mut |e| used.extend(if let Expr::Local(local) = e { Some(local.id) } else { None }));
            });
        };
        body.iter().for_each(|stmt| stmt.visit(&mut see));
        let array = stored.first()?.clone();
        let one = array.space == Space::Private
            && array.width == 1
            && stored.iter().all(|other| other.id == array.id);
        // What an iteration hands on to the next one would come too late, and be computed anew.
        let alone = !loaded.contains(&array.id) && assigned.is_subset(&own);
        (simple && one && alone).then_some(Copying { array, var, extent, body, reads: (loaded, used) })
    }

    /// A loop around what reads the copy, with the copying in it; `rounds` are the loops around it that are passed already.
    fn within(
        &self,
        stmt: &Stmt,
        rounds: &mut Vec<Var>,
        facts: &Facts,
        value: &dyn Fn(&Nat) -> Option<usize>,
    ) -> Option<Stmt> {
        let Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } = stmt else { return None };
        let mut inside = facts.clone();
        inside.range(var, &Nat::constant(0), extent);
        let contains_loops = body.iter().any(|stmt| matches!(stmt, Stmt::Loop { .. }));
        let changed =
            if contains_loops && self.stays(body) && self.goes_along(var, extent, body, &inside, value) {
                let here = |n: &Nat| n.substitute(&|v| (v == self.var).then(|| Nat::var(var)));
                let piece: Vec<Stmt> = self.body.iter().map(|stmt| stmt.reindexed(&|n, _| here(n))).collect();
                let first = |round: &Var| Condition::eq(Nat::var(round), Nat::constant(0));
                let once = match rounds.iter().map(first).reduce(Condition::and) {
                    Some(first) => vec![Stmt::If(Expr::Test(first), piece, vec![])],
                    None => piece,
                };
                [once, body.clone()].concat()
            } else {
                // The only statement that reads it: deeper inside.
                let mut reading = body.iter().enumerate().filter(|(_, stmt)| touches(stmt, self.array.id));
                let (at, one) = reading.next().filter(|_| reading.next().is_none() && self.stays(body))?;
                rounds.push(var.clone());
                let mut changed = body.clone();
                changed[at] = self.within(one, rounds, &inside, value)?;
                changed
            };
        Some(stmt.rebuilt(&mut Expr::clone, &mut |_| changed.clone()))
    }

    /// Is what it reads still there while these statements run?
    fn stays(&self, body: &[Stmt]) -> bool {
        let mut stays = true;
        let mut see = |stmt: &Stmt| match stmt {
            Stmt::Store(array, ..) => stays &= !self.reads.0.contains(&array.id),
            Stmt::Assign(local, _) => stays &= !self.reads.1.contains(&local.id),
            Stmt::Barrier(_) => stays = false,
            Stmt::Comment(_)
            | Stmt::Declare { .. }
            | Stmt::Array(..)
            | Stmt::Soon(..)
            | Stmt::Loop { .. }
            | Stmt::If(..) => {}
        };
        body.iter().for_each(|stmt| stmt.visit(&mut see));
        stays
    }

    /// Does each iteration of a loop read only the part of the copy that the iteration of the same number has made?
    fn goes_along(
        &self,
        var: &Var,
        extent: &Nat,
        body: &[Stmt],
        facts: &Facts,
        value: &dyn Fn(&Nat) -> Option<usize>,
    ) -> bool {
        let as_often = value(extent).is_some_and(|trips| trips > 1 && value(self.extent) == Some(trips));
        let mut copying = facts.clone();
        copying.range(self.var, &Nat::constant(0), self.extent);
        let part = |var: &Var, body: &[Stmt], facts: &Facts| {
            let mut parts = BTreeSet::new();
            parts_of(self.array.id, var, body, facts, value, &mut parts).then_some(parts)
        };
        let made = part(self.var, self.body, &copying);
        as_often && made.is_some_and(|made| made.len() == 1 && part(var, body, facts) == Some(made))
    }
}

/// Adds the lengths of the parts of an array that each iteration touches: part `n` of the array in iteration `n`. Is that all it
/// touches?
fn parts_of(
    array: ArrayId,
    var: &Var,
    body: &[Stmt],
    facts: &Facts,
    value: &dyn Fn(&Nat) -> Option<usize>,
    lengths: &mut BTreeSet<usize>,
) -> bool {
    let mut within = true;
    for stmt in body {
        stmt.accesses(&mut |other, index, width, _| {
            if other.id != array {
                return;
            }
            let length = index.linear_in(var).and_then(|(length, rest)| {
                let length = value(&length)?;
                let (low, high) = facts.rough_bounds(&rest);
                (low? >= 0 && high? + i64::from(width) <= length as i64).then_some(length)
            });
            within &= length.is_some();
            lengths.extend(length);
        });
        let mut inside = facts.clone();
        if let Stmt::Loop { var, extent, .. } = stmt {
            inside.range(var, &Nat::constant(0), extent);
        }
        within = within
            && stmt.blocks().into_iter().all(|block| parts_of(array, var, block, &inside, value, lengths));
    }
    within
}

/// Does a statement read or write an array, itself or inside?
fn touches(stmt: &Stmt, array: ArrayId) -> bool {
    let mut touches = false;
    stmt.visit(&mut |stmt| stmt.accesses(&mut |other, _, _, _| touches |= other.id == array));
    touches
}

#[cfg(test)]
mod tests {
    use super::{copies, touches};
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Change, Expr, Local, LocalId, Stmt};
    use crate::nat::{Facts, Maker, Nat, Var};
    use crate::types::Scalar;
    use std::sync::Arc;

    const PIECES: i64 = 9;
    const LENGTH: i64 = 16;

    /// What differs from a copy that several tiles go over.
    #[derive(Clone, Copy, Default)]
    struct Differs {
        /// Each iteration reads so many elements further.
        further: i64,
        /// The tiles write what is copied.
        overwritten: bool,
        /// The copying counts something up.
        counted: bool,
        /// The tiles read fewer pieces.
        fewer: i64,
        /// The tiles end with the innermost loop.
        innermost: bool,
        /// Later pieces are copied more often.
        longer: bool,
        /// Loops of tiles that are in each other.
        tiles: usize,
    }

    fn var(name: &str, number: u32) -> Var {
        Var::made(Maker::Comparison, name, number)
    }

    fn array(name: &str, id: u32, space: Space) -> Arc<Array> {
        let (length, scalar, id) = (Nat::from(1 << 20), Scalar::F32, ArrayId::Own(id));
        Arc::new(Array { name: name.into(), id, scalar, width: 1, space, length, registers: false })
    }

    fn looped(var: &Var, extent: i64, body: Vec<Stmt>) -> Stmt {
        Stmt::Loop { var: var.clone(), extent: Nat::from(extent), parallel: Parallel::Sequential, body }
    }

    fn statements(differs: Differs) -> Vec<Stmt> {
        let (xs, ys) = (array("xs", 1, Space::Global), array("ys", 2, Space::Global));
        let copied = array("copied", 3, Space::Private);
        let sum = Local { name: "sum".into(), id: LocalId::Own(4), scalar: Scalar::F32, width: 1 };
        let [piece, k, tile, part, j] = ["piece", "k", "tile", "part", "j"].map(|name| var(name, 0));
        let at = |outer: &Var, inner: &Var| Nat::var(outer) * LENGTH + Nat::var(inner);
        let load = |array: &Arc<Array>, index: Nat| Expr::Load(array.clone(), index, 1);
        let store = Stmt::Store(copied.clone(), at(&piece, &k), load(&xs, at(&piece, &k)));
        let mut copying = vec![looped(&k, LENGTH, vec![store])];
        if differs.longer {
            let (var, extent, body) = (var("m", 0), Nat::var(&piece) + 1, copying);
            copying = vec![Stmt::Loop { var, extent, parallel: Parallel::Sequential, body }];
        }
        if differs.counted {
            copying.push(Stmt::Assign(sum.clone(), Expr::Index(Nat::var(&piece), Scalar::F32)));
        }
        let add = Stmt::Assign(sum.clone(), load(&copied, at(&part, &j) + differs.further));
        let adding = if differs.innermost {
            let all = Nat::var(&j);
            let add = Stmt::Assign(sum.clone(), load(&copied, all));
            looped(&j, PIECES * LENGTH, vec![add])
        } else {
            looped(&part, PIECES - differs.fewer, vec![looped(&j, LENGTH, vec![add])])
        };
        let start = Stmt::Declare {
            local: sum.clone(),
            value: load(&ys, Nat::constant(0)),
            change: Change::Reduction,
        };
        let result = if differs.overwritten { &xs } else { &ys };
        let end = Stmt::Store(result.clone(), Nat::var(&tile), Expr::Local(sum));
        let mut tiles = vec![start, adding, end];
        for n in 0..differs.tiles {
            tiles = vec![looped(&if n == 0 { tile.clone() } else { var("row", n as u32) }, 2, tiles)];
        }
        [vec![Stmt::Array(copied, vec![]), looped(&piece, PIECES, copying)], tiles].concat()
    }

    fn value(n: &Nat) -> Option<usize> {
        n.eval(&|_| None).ok().and_then(|n| usize::try_from(n).ok())
    }

    /// Where the copying went: the tests around it, or nothing where it stays.
    fn moved(differs: Differs) -> Option<Vec<String>> {
        let before = statements(differs);
        let after = copies(&before, &Facts::new(), &value);
        if after == before {
            return None;
        }
        // It is made once, in a loop with as many iterations.
        assert_eq!(after.len(), before.len() - 1);
        let (mut tests, mut stores, mut pieces) = (vec![], vec![], 0);
        let id = ArrayId::Own(3);
        after.iter().for_each(|stmt| {
            stmt.visit(&mut |stmt| match stmt {
                Stmt::If(Expr::Test(test), then, _) if then.iter().any(|stmt| touches(stmt, id)) => {
                    tests.push(test.to_string());
                }
                Stmt::Store(array, index, _) if array.id == id => stores.push(index.to_string()),
                Stmt::Loop { var, .. } if &*var.name == "part" => pieces += 1,
                _ => {}
            })
        });
        assert_eq!((stores, pieces), (vec![format!("k + {LENGTH} * part")], 1));
        Some(tests)
    }

    #[test]
    fn the_first_tile_copies_what_it_reads() {
        assert_eq!(moved(Differs { tiles: 1, ..Differs::default() }), Some(vec!["tile == 0".to_string()]));
        let two = vec!["row == 0 && tile == 0".to_string()];
        assert_eq!(moved(Differs { tiles: 2, ..Differs::default() }), Some(two));
        // The only tile does so, too.
        assert_eq!(moved(Differs::default()), Some(vec![]));
    }

    #[test]
    fn what_would_come_too_late_stays() {
        let usual = Differs { tiles: 1, ..Differs::default() };
        let others = [
            Differs { further: 1, ..usual },
            Differs { overwritten: true, ..usual },
            Differs { counted: true, ..usual },
            Differs { fewer: 1, ..usual },
            Differs { innermost: true, ..usual },
            Differs { longer: true, ..usual },
        ];
        for (at, differs) in others.into_iter().enumerate() {
            assert_eq!(moved(differs), None, "number {at}");
        }
    }
}
