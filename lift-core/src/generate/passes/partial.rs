//! Partial unrolling: several iterations of a short loop are written out as one.
//!
//! A block of sums in registers takes 12 multiply-adds of vectors, 8 loads, and as many instructions again for counting and for
//! finding where each array goes on. Where two threads share a core, as in most clouds, a processor is as busy with these as
//! with the others: what matters is how many instructions there are. Written out, iterations share them: the indices of the
//! next differ by numbers, which instructions that load have room for. Compilers do this only before they know
//! the indices (GCC 12's `-funroll-loops` finds out anew for each iteration where it is).

use super::unroll::iteration;
use crate::kernel::{Expr, Parallel, Stmt};
use crate::nat::{Nat, Var};

/// Statements that a loop's iteration has at least, if it has that many in several iterations: then what a loop takes besides
/// is little.
const ENOUGH: usize = 48;
/// Iterations that are written out at most.
const MOST: usize = 8;

/// Unrolls loops that add to vectors. `value` knows the values of sizes; `fresh` is a number above that of all variables.
pub fn unrolled(body: &[Stmt], value: &dyn Fn(&Nat) -> Option<usize>, fresh: &mut u32) -> Vec<Stmt> {
    let mut done = vec![];
    for stmt in body {
        match stmt {
            Stmt::Loop { var, extent, parallel: Parallel::Sequential, body }
                if adds_to_vectors(var, body) =>
            {
                match value(extent).and_then(|trips| iterations(trips, body.len())) {
                    Some(several) => done.extend(written_out(var, extent, body, several, value, fresh)),
                    None => done.push(stmt.clone()),
                }
            }
            other => {
                done.push(other.rebuilt(&mut Expr::clone, &mut |block| unrolled(block, value, fresh)));
            }
        }
    }
    done
}

/// Is it an innermost loop without branches, which adds to vectors? One that is cut where a guard on its own index begins or
/// ends is left to `kernel/unswitch.rs`.
fn adds_to_vectors(var: &Var, body: &[Stmt]) -> bool {
    let straight = |stmt: &Stmt| match stmt {
        Stmt::Comment(_) | Stmt::Declare { .. } | Stmt::Assign(..) | Stmt::Store(..) => true,
        Stmt::Array(..) | Stmt::Barrier(_) | Stmt::Loop { .. } | Stmt::If(..) => false,
    };
    let adds = |stmt: &Stmt| matches!(stmt, Stmt::Assign(local, _) if local.width > 1);
    let mut guarded = false;
    let mut see = |e: &Expr| guarded |= matches!(e, Expr::Test(condition) if condition.vars().contains(var));
    body.iter().flat_map(|stmt| stmt.exprs()).for_each(|e| e.visit(&mut see));
    body.iter().all(straight) && body.iter().any(adds) && !guarded
}

/// How many iterations become one; none if that is not worth it. Compilers unroll very short loops by themselves.
fn iterations(trips: usize, statements: usize) -> Option<usize> {
    let wanted = ENOUGH.div_ceil(statements).next_power_of_two().min(MOST);
    let some = std::iter::successors(Some(wanted), |n| Some(n / 2)).take_while(|n| *n > 1);
    let without_rest = some.clone().find(|n| trips.is_multiple_of(*n));
    without_rest.or(some.max()).filter(|n| trips >= 2 * n)
}

/// The loop over so many iterations at a time, and the rest.
fn written_out(
    var: &Var,
    extent: &Nat,
    body: &[Stmt],
    several: usize,
    value: &dyn Fn(&Nat) -> Option<usize>,
    fresh: &mut u32,
) -> Vec<Stmt> {
    *fresh += 1;
    let outer = Var::index(&var.name, *fresh);
    let several_at = Nat::from(several);
    let mut at = |number: Nat| iteration(body, var, number, value, fresh);
    let first = &several_at * &Nat::var(&outer);
    let inside = (0..several).flat_map(|k| at(&first + Nat::from(k))).collect();
    let times = extent.div(&several_at);
    let begin = &several_at * &times;
    let rest = value(extent).map_or(0, |trips| trips % several);
    let rest = (0..rest).flat_map(|k| at(&begin + Nat::from(k))).collect::<Vec<_>>();
    let all = Stmt::Loop { var: outer, extent: times, parallel: Parallel::Sequential, body: inside };
    std::iter::once(all).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::unrolled;
    use crate::hierarchy::{Parallel, Space};
    use crate::kernel::{Array, ArrayId, Change, Expr, Local, LocalId, Stmt};
    use crate::nat::{Condition, Nat, Var};
    use crate::scalar::{Op, Value};
    use crate::types::Scalar;
    use std::sync::Arc;

    fn local(id: u32, width: u8) -> Local {
        Local { name: "sum".into(), id: LocalId::Own(id), scalar: Scalar::F32, width }
    }

    /// Adds up so many vectors, or scalars, of each iteration.
    fn sums(count: i64, width: u8, extent: Nat) -> Stmt {
        let (name, length) = (Arc::from("xs"), Nat::from(100_000));
        let (id, space) = (ArrayId::Own(1), Space::Global);
        let xs = Arc::new(Array { name, id, scalar: Scalar::F32, width: 1, space, length, registers: false });
        let var = Var::index("i", 1);
        let add = |k: i64| {
            let index = Nat::from(count) * Nat::var(&var) + Nat::from(k);
            let (sum, x) = (local(k as u32, width), Expr::Load(xs.clone(), index, width));
            Stmt::Assign(sum.clone(), Expr::Op(Op::Add, Scalar::F32, vec![Expr::Local(sum), x]))
        };
        let body = (0..count).map(add).collect();
        Stmt::Loop { var, extent, parallel: Parallel::Sequential, body }
    }

    fn value(n: &Nat) -> Option<usize> {
        usize::try_from(n.as_constant()?).ok()
    }

    fn done(stmt: &Stmt) -> Vec<Stmt> {
        unrolled(std::slice::from_ref(stmt), &value, &mut 10)
    }

    /// The sums that are added to, with the index of what is added, in the order in which it is.
    fn run(stmts: &[Stmt], at: &dyn Fn(&Var) -> Option<Nat>, seen: &mut Vec<(LocalId, i64)>) {
        for stmt in stmts {
            match stmt {
                Stmt::Loop { var, extent, body, .. } => {
                    for n in 0..value(extent).expect("a number") {
                        let inside = |v: &Var| if v == var { Some(Nat::from(n)) } else { at(v) };
                        run(body, &inside, seen);
                    }
                }
                Stmt::Assign(sum, value) => value.visit(&mut |e| {
                    if let Expr::Load(_, index, _) = e {
                        seen.push((sum.id, index.substitute(at).as_constant().expect("a number")));
                    }
                }),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn all_iterations_are_done_in_their_order() {
        let order = |stmts: &[Stmt]| {
            let mut seen = vec![];
            run(stmts, &|_| None, &mut seen);
            seen
        };
        for count in [1, 2, 12, 30, 60] {
            for trips in (0..40).chain([255, 256]) {
                let stmt = sums(count, 8, Nat::from(trips));
                assert_eq!(order(&done(&stmt)), order(&[stmt]), "{count} sums, {trips} iterations");
            }
        }
    }

    /// Iterations that one of the loop does, and iterations that are left.
    fn shape(stmts: &[Stmt], count: usize) -> (usize, usize) {
        let Stmt::Loop { body, .. } = &stmts[0] else { panic!("{stmts:?}") };
        (body.len() / count, (stmts.len() - 1) / count)
    }

    #[test]
    fn short_bodies_are_repeated_more_often() {
        for (count, trips, expected) in [
            (1, 64, (8, 0)),
            (12, 64, (4, 0)),
            (24, 64, (2, 0)),
            (48, 64, (1, 0)),
            (12, 66, (2, 0)),
            (12, 65, (4, 1)),
        ] {
            let stmt = sums(count, 8, Nat::from(trips));
            assert_eq!(shape(&done(&stmt), count as usize), expected, "{count} sums, {trips} iterations");
        }
    }

    #[test]
    fn others_stay_as_they_are() {
        let nothing = Stmt::If(Expr::Literal(Value::Bool(true)), vec![], vec![]);
        let with = |more: Stmt| match sums(12, 8, Nat::from(64)) {
            Stmt::Loop { var, extent, parallel, mut body } => {
                body.push(more);
                Stmt::Loop { var, extent, parallel, body }
            }
            other => panic!("{other:?}"),
        };
        let one = Expr::Literal(Value::from_integer(1, Scalar::F32));
        let declared = Stmt::Declare { local: local(99, 1), value: one, change: Change::Never };
        let guard = Condition::lt(Nat::var(&Var::index("i", 1)), Nat::from(60));
        let (sum, test) = (local(1, 8), Box::new(Expr::Test(guard)));
        let chosen = Expr::Select(test, Expr::Local(sum.clone()).into(), Expr::Local(local(2, 8)).into());
        let guarded = with(Stmt::Assign(sum, chosen));
        let scalars = sums(12, 1, Nat::from(64));
        let unknown = sums(12, 8, Nat::var(&Var::index("n", 5)));
        for stmt in
            [scalars, unknown, sums(12, 8, Nat::from(7)), with(nothing), with(sums(60, 8, Nat::from(64)))]
        {
            assert_eq!(done(&stmt), [stmt]);
        }
        // What an iteration declares, each has for itself.
        let Stmt::Loop { body, .. } = &done(&with(declared))[0] else { panic!("no loop") };
        let declares = |stmt: &Stmt| match stmt {
            Stmt::Declare { local, .. } => Some(local.id),
            _ => None,
        };
        let ids: std::collections::HashSet<_> = body.iter().filter_map(declares).collect();
        assert_eq!(ids.len(), 4);
    }
}
