//! Clamps and tests that the tests before them settle: of tiles that extend beyond a row only the last one has clamped indices, and
//! where a test has told it from the others, they often have one value. Until loops are written out, an index stands for all that
//! a loop makes of it, of which few are clamped.

use crate::generate::clamps::clamps;
use crate::kernel::{Expr, Stmt};
use crate::nat::{Condition, Facts, Nat};

/// The same statements without clamps and tests whose outcome is known, by what is known of sizes and what tests say.
pub fn by_tests(body: &[Stmt], facts: &Facts) -> Vec<Stmt> {
    body.iter().flat_map(|stmt| statement(stmt, facts)).collect()
}

fn statement(stmt: &Stmt, facts: &Facts) -> Vec<Stmt> {
    let within = |facts: &Facts| stmt.rebuilt(&mut |e| value(e, facts), &mut |block| by_tests(block, facts));
    match stmt {
        _ if !is_open(stmt) => vec![stmt.clone()],
        Stmt::Loop { var, extent, .. } => {
            let mut facts = facts.clone();
            facts.range(var, &Nat::constant(0), extent);
            vec![within(&facts)]
        }
        Stmt::If(Expr::Test(test), then, otherwise) => {
            match settled(test, facts, then, otherwise, |side, facts| by_tests(side, facts)) {
                Settled::One(side) => side,
                Settled::Both(test, then, otherwise) => vec![Stmt::If(test, then, otherwise)],
            }
        }
        Stmt::Store(array, index, value) => {
            vec![Stmt::Store(array.clone(), unclamped(index, facts), self::value(value, facts))]
        }
        Stmt::Comment(_)
        | Stmt::Declare { .. }
        | Stmt::Assign(..)
        | Stmt::Array(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::If(..) => vec![within(facts)],
    }
}

/// The same value without clamps and tests whose outcome is known.
pub fn value(e: &Expr, facts: &Facts) -> Expr {
    match e {
        Expr::Load(array, index, width) => Expr::Load(array.clone(), unclamped(index, facts), *width),
        Expr::Index(index, scalar) => Expr::Index(unclamped(index, facts), *scalar),
        Expr::Select(condition, then, otherwise) => match &**condition {
            Expr::Test(test) => match settled(test, facts, then, otherwise, |side, facts| value(side, facts))
            {
                Settled::One(side) => side,
                Settled::Both(test, then, otherwise) => {
                    Expr::Select(test.into(), then.into(), otherwise.into())
                }
            },
            _ => e.map_children(&mut |child| value(child, facts)),
        },
        other => other.map_children(&mut |child| value(child, facts)),
    }
}

/// What is left of a test and its two sides.
enum Settled<Side> {
    One(Side),
    /// With what is left to test.
    Both(Expr, Side, Side),
}

fn settled<Side: ?Sized, Left>(
    test: &Condition,
    facts: &Facts,
    then: &Side,
    otherwise: &Side,
    walk: impl Fn(&Side, &Facts) -> Left,
) -> Settled<Left> {
    if facts.decided(&test.clone().not()) {
        return Settled::One(walk(otherwise, facts));
    }
    let open =
        test.conjuncts().into_iter().filter(|part| !facts.decided(part)).cloned().reduce(Condition::and);
    let Some(open) = open else { return Settled::One(walk(then, facts)) };
    let test = Expr::Test(open.map(&|n| unclamped(n, facts)));
    let [then, otherwise] = [(then, true), (otherwise, false)]
        .map(|(side, holds)| walk(side, &where_tested(facts, &test, holds)));
    Settled::Both(test, then, otherwise)
}

/// What is known where a condition is tested and holds, or does not.
pub fn where_tested(facts: &Facts, condition: &Expr, holds: bool) -> Facts {
    let mut facts = facts.clone();
    if let Expr::Test(test) = condition {
        facts.assume(&if holds { test.clone() } else { test.clone().not() });
    }
    facts
}

/// The same index with fewer clamps, if there are any. Others stay as they are: parts that indices share are computed once.
fn unclamped(index: &Nat, facts: &Facts) -> Nat {
    match clamps(index) {
        0 => index.clone(),
        _ => facts.simplify(index),
    }
}

/// Is there anything to settle?
fn is_open(stmt: &Stmt) -> bool {
    let own = match stmt {
        Stmt::If(..) => true,
        Stmt::Store(_, index, _) => clamps(index) > 0,
        _ => false,
    };
    let in_expr = |e: &Expr| {
        let mut open = false;
        e.visit(&mut |e| {
            open |= match e {
                Expr::Test(_) => true,
                Expr::Load(_, index, _) | Expr::Index(index, _) => clamps(index) > 0,
                _ => false,
            }
        });
        open
    };
    own || stmt.expr().is_some_and(in_expr) || stmt.blocks().into_iter().flatten().any(is_open)
}

#[cfg(test)]
mod tests {
    use super::by_tests;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Stmt};
    use crate::nat::{Condition, Facts, Maker, Nat, Var};
    use crate::types::Scalar;
    use std::sync::Arc;

    fn array(name: &str, id: u32) -> Arc<Array> {
        let (id, length) = (ArrayId::Own(id), Nat::from(13));
        let (scalar, space) = (Scalar::F32, Space::Global);
        Arc::new(Array { name: name.into(), id, scalar, width: 1, space, length, registers: false })
    }

    /// `to[7 t + j] = xs[min(7 t + j, 12)]` for each `j`, if it lies within 13 elements.
    fn copies(tile: &Nat, j: std::ops::Range<i64>) -> Vec<Stmt> {
        let one = |j: i64| {
            let place = tile * Nat::from(7) + Nat::from(j);
            let value = Expr::Load(array("xs", 2), place.min(&Nat::from(12)), 1);
            let inside = Expr::Test(Condition::lt(&place, Nat::from(13)));
            Stmt::If(inside, vec![Stmt::Store(array("to", 1), place, value)], vec![])
        };
        j.map(one).collect()
    }

    fn loaded(stmts: &[Stmt]) -> Vec<String> {
        let mut found = vec![];
        for stmt in stmts {
            stmt.visit(&mut |stmt| {
                stmt.expr().into_iter().for_each(|e| {
                    if let Expr::Load(_, index, _) = e {
                        found.push(index.to_string());
                    }
                });
            });
        }
        found
    }

    /// Rows of 13 in tiles of 7: the last one has six elements, none of which is clamped.
    #[test]
    fn the_last_tile_has_no_tests() {
        let t = Var::made(Maker::Comparison, "t", 0);
        let tile = Nat::var(&t);
        let other = Expr::Test(Condition::lt(&tile + 1, Nat::from(2)));
        let body = vec![Stmt::If(other.clone(), copies(&tile, 0..1), copies(&tile, 0..7))];
        let row = Stmt::Loop { var: t, extent: Nat::from(2), parallel: Parallel::Sequential, body };
        let [Stmt::Loop { body, .. }] = &by_tests(&[row], &Facts::new())[..] else { panic!("a loop") };
        let [Stmt::If(test, first, last)] = &body[..] else { panic!("{body:?}") };
        assert_eq!(*test, other);
        assert!(matches!((&first[..], &last[..]), ([Stmt::Store(..)], [Stmt::Store(..), ..])), "{body:?}");
        assert_eq!(last.len(), 6, "{last:?}");
        assert!(!loaded(last).concat().contains("min"), "{last:?}");
    }

    /// What nothing is known of stays as it is, to the letter.
    #[test]
    fn what_is_open_stays() {
        let body = copies(&Nat::var(&Var::made(Maker::Comparison, "t", 0)), 0..7);
        let inside = |stmts: &[Stmt]| loaded(stmts).iter().filter(|index| index.contains("min")).count();
        let after = by_tests(&body, &Facts::new());
        assert_eq!((after.len(), inside(&after)), (7, 0), "the test says that the index is not clamped");
        let loads: Vec<Stmt> = body.iter().flat_map(|s| s.blocks().concat()).collect();
        assert_eq!(by_tests(&loads, &Facts::new()), loads);
    }
}
