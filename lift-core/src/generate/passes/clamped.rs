//! Copies whose indices are clamped: most are of tiles that lie inside their array as a whole, where no index has to be. Loops
//! that copy these are loops over neighbours in memory, which compilers make vectors of.

use crate::generate::clamps::unclamped;
use crate::kernel::{Expr, Parallel, Stmt};
use crate::nat::{Condition, Facts, Nat};

/// Puts a test before loops that do nothing but copy: does any of their indices have to be clamped?
pub fn tested(body: &[Stmt], facts: &Facts) -> Vec<Stmt> {
    body.iter().map(|stmt| statement(stmt, facts)).collect()
}

fn statement(stmt: &Stmt, facts: &Facts) -> Stmt {
    let mut inside = facts.clone();
    if let Stmt::Loop { var, extent, parallel, .. } = stmt {
        if *parallel == Parallel::Sequential
            && is_copy(stmt)
            && let Some(needed) = unclamped(std::slice::from_ref(stmt), facts)
            && let Some(condition) = needed.into_iter().reduce(Condition::and)
        {
            let mut facts = facts.clone();
            facts.assume(&condition);
            return Stmt::If(Expr::Test(condition), vec![simplified(stmt, &facts)], vec![stmt.clone()]);
        }
        inside.range(var, &Nat::constant(0), extent);
    }
    stmt.rebuilt(&mut Expr::clone, &mut |block| tested(block, &inside))
}

/// Loops of a work-item around a single store of what is loaded.
fn is_copy(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Loop { parallel: Parallel::Sequential, body, .. } => {
            matches!(&body[..], [inner] if is_copy(inner))
        }
        Stmt::Store(_, _, Expr::Load(..)) => true,
        Stmt::Store(_, _, Expr::Lanes(lanes)) => lanes.iter().all(|lane| matches!(lane, Expr::Load(..))),
        _ => false,
    }
}

/// The same loops with simpler indices.
fn simplified(stmt: &Stmt, facts: &Facts) -> Stmt {
    let mut inside = facts.clone();
    if let Stmt::Loop { var, extent, .. } = stmt {
        inside.range(var, &Nat::constant(0), extent);
    }
    match stmt.rebuilt(&mut |e| e.reindexed(&|n, _| facts.simplify(n)), &mut |block| {
        block.iter().map(|stmt| simplified(stmt, &inside)).collect()
    }) {
        Stmt::Store(to, index, value) => Stmt::Store(to, facts.simplify(&index), value),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::tested;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Expr, Stmt};
    use crate::nat::{Facts, Maker, Nat, Var};
    use crate::types::Scalar;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    fn array(name: &str, id: u32, length: i64) -> Arc<Array> {
        let (id, length) = (ArrayId::Own(id), Nat::from(length));
        let (scalar, space) = (Scalar::F32, Space::Global);
        Arc::new(Array { name: name.into(), id, scalar, width: 1, space, length, registers: false })
    }

    fn index(name: &str) -> Var {
        Var::made(Maker::Comparison, name, 0)
    }

    fn looped(var: &Var, extent: i64, parallel: Parallel, body: Vec<Stmt>) -> Vec<Stmt> {
        vec![Stmt::Loop { var: var.clone(), extent: Nat::from(extent), parallel, body }]
    }

    /// Three tiles of 4 of 10 elements in each of 5 rows, `to[20 t + 4 r + k] = xs[10 r + min(4 t + k, 9)]`; or tiles that do more.
    fn tiles(more: Option<Stmt>) -> Vec<Stmt> {
        let (t, r, k) = (index("t"), index("r"), index("k"));
        let [tile, row, element] = [&t, &r, &k].map(Nat::var);
        let place = &row * Nat::from(10) + (&tile * Nat::from(4) + &element).min(&Nat::from(9));
        let to = tile * Nat::from(20) + row * Nat::from(4) + element;
        let copy = Stmt::Store(array("to", 1, 60), to, Expr::Load(array("xs", 2, 50), place, 1));
        let body = [copy].into_iter().chain(more).collect();
        let rows = looped(&r, 5, Parallel::Sequential, looped(&k, 4, Parallel::Sequential, body));
        looped(&t, 3, Parallel::Global(0), rows)
    }

    /// Which element of `xs` each place gets.
    fn copied(stmts: &[Stmt], at: &BTreeMap<Var, i64>, found: &mut BTreeMap<i64, i64>) {
        let env = |v: &Var| at.get(v).copied();
        let number = |n: &Nat| n.eval(&env).expect("a number");
        for stmt in stmts {
            match stmt {
                Stmt::Loop { var, extent, body, .. } => {
                    for k in 0..number(extent) {
                        let mut at = at.clone();
                        at.insert(var.clone(), k);
                        copied(body, &at, found);
                    }
                }
                Stmt::If(Expr::Test(test), then, otherwise) => {
                    copied(if test.eval(&env).expect("a condition") { then } else { otherwise }, at, found);
                }
                Stmt::Store(_, to, Expr::Load(_, place, 1)) => _ = found.insert(number(to), number(place)),
                other => panic!("{other:?}"),
            }
        }
    }

    fn all(body: &[Stmt]) -> BTreeMap<i64, i64> {
        let mut found = BTreeMap::new();
        copied(body, &BTreeMap::new(), &mut found);
        found
    }

    #[test]
    fn a_tile_that_lies_inside_is_copied_without_clamps() {
        let before = tiles(None);
        let after = tested(&before, &Facts::new());
        assert_eq!(all(&after), all(&before));
        let [Stmt::Loop { body, .. }] = &after[..] else { panic!("{after:?}") };
        // The test stands before all loops that it does not depend on.
        let [Stmt::If(_, inside, beyond)] = &body[..] else { panic!("{body:?}") };
        assert!(!format!("{inside:?}").contains("min(") && format!("{beyond:?}").contains("min("));
    }

    #[test]
    fn other_loops_stay_as_they_are() {
        let more =
            Stmt::Store(array("ys", 3, 60), Nat::from(0), Expr::Load(array("xs", 2, 50), Nat::from(0), 1));
        let before = tiles(Some(more));
        assert_eq!(tested(&before, &Facts::new()), before);
    }
}
