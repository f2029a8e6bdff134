//! Divisions by what a loop does not change: a division takes a processor as long as 16 multiplications. Before the loop
//! the reciprocal is computed, and in the loop elements are multiplied by it.
//!
//! The reciprocal of a very large number has few digits, and that of a very small one is infinite: divisors beyond 2¹⁰⁰ and
//! 2⁻¹⁰⁰ are brought nearer to 1 by a power of two first, and so are the elements. What that makes too small or too large
//! for a float would be so after the division, too.

use crate::hierarchy::Parallel;
use crate::kernel::{Change, Expr, Local, LocalId, Stmt};
use crate::nat::Var;
use crate::scalar::{Op, Value};
use crate::types::Scalar;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Rewrites the divisions in sequential loops. `fresh` is a number above that of all variables.
pub fn before_loops(body: &[Stmt], fresh: &mut u32) -> Vec<Stmt> {
    let mut done = vec![];
    for stmt in body {
        let stmt = match stmt {
            Stmt::Loop { var, extent, parallel: Parallel::Sequential, body } => {
                let (changed, indices) = changed(stmt);
                let mut divisors = Divisors { changed, indices, fresh, found: vec![], before: &mut done };
                let body = divisors.block(body);
                Stmt::Loop { var: var.clone(), extent: extent.clone(), parallel: Parallel::Sequential, body }
            }
            other => other.clone(),
        };
        done.push(stmt.rebuilt(&mut Expr::clone, &mut |body| before_loops(body, fresh)));
    }
    done
}

/// The variables that a loop declares or assigns to, and its index and those of the loops in it.
fn changed(whole: &Stmt) -> (HashSet<LocalId>, BTreeSet<Var>) {
    let (mut changed, mut indices) = (HashSet::new(), BTreeSet::new());
    whole.visit(&mut |stmt| match stmt {
        Stmt::Declare { local, .. } | Stmt::Assign(local, _) => _ = changed.insert(local.id),
        Stmt::Loop { var, .. } => _ = indices.insert(var.clone()),
        Stmt::Comment(_)
        | Stmt::Array(..)
        | Stmt::Store(..)
        | Stmt::Soon(..)
        | Stmt::Barrier(_)
        | Stmt::If(..) => {}
    });
    (changed, indices)
}

struct Divisors<'a> {
    /// What the loop changes.
    changed: HashSet<LocalId>,
    indices: BTreeSet<Var>,
    fresh: &'a mut u32,
    /// Divisors that were met, with what elements are multiplied by instead, in turn.
    found: Vec<(Expr, Vec<Expr>)>,
    /// The statements before the loop.
    before: &'a mut Vec<Stmt>,
}

impl Divisors<'_> {
    fn block(&mut self, body: &[Stmt]) -> Vec<Stmt> {
        let mut done = vec![];
        for stmt in body {
            // One after the other: both want all of this.
            let stmt = stmt.rebuilt(&mut |e| self.expr(e), &mut |block| block.to_vec());
            done.push(stmt.rebuilt(&mut Expr::clone, &mut |block| self.block(block)));
        }
        done
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        let e = e.map_children(&mut |child| self.expr(child));
        let Expr::Op(Op::Div, Scalar::F32, operands) = &e else { return e };
        let [element, divisor] = &operands[..] else { return e };
        let width = e.width();
        let divisor = match divisor {
            Expr::Splat(same, _) => same,
            other => other,
        };
        if divisor.width() > 1 || !self.stays(divisor) {
            return e;
        }
        let factors = match self.found.iter().find(|(found, _)| found == divisor) {
            Some((_, factors)) => factors.clone(),
            None => self.factors(divisor),
        };
        factors.into_iter().fold(element.clone(), |product, factor| {
            Expr::Op(Op::Mul, Scalar::F32, vec![product, factor.splat(width)])
        })
    }

    /// Is it a variable, an argument or a number that the loop does not change, or computed from these? A division of integers
    /// stays where it is: before the loop nothing says that it is not by zero.
    fn stays(&self, e: &Expr) -> bool {
        match e {
            Expr::Literal(_) | Expr::Parameter { .. } => true,
            Expr::Local(local) => !self.changed.contains(&local.id),
            Expr::Op(Op::Div | Op::Rem, scalar, _) if !scalar.is_float() => false,
            Expr::Op(..) | Expr::Cast(..) => e.children().into_iter().all(|child| self.stays(child)),
            Expr::Index(n, _) => n.vars().iter().all(|var| !self.indices.contains(var)),
            Expr::Test(_)
            | Expr::Load(..)
            | Expr::Splat(..)
            | Expr::Lanes(_)
            | Expr::Lane(..)
            | Expr::Select(..) => false,
        }
    }

    /// What to multiply by instead of dividing by this.
    fn factors(&mut self, divisor: &Expr) -> Vec<Expr> {
        let factors = match divisor {
            Expr::Literal(Value::F32(x)) if (2f32.powi(-100)..=2f32.powi(100)).contains(&x.abs()) => {
                vec![number(1.0 / x)]
            }
            _ => {
                let size = Expr::Op(Op::Abs, Scalar::F32, vec![divisor.clone()]);
                let beyond = |op, power: i32, factor: i32, otherwise: Expr| {
                    let is = Expr::Op(op, Scalar::F32, vec![size.clone(), number(2f32.powi(power))]);
                    Expr::Select(is.into(), number(2f32.powi(factor)).into(), otherwise.into())
                };
                let nearer = beyond(Op::Gt, 100, -64, beyond(Op::Lt, -100, 64, number(1.0)));
                let nearer = self.named("nearer", nearer);
                let scaled = Expr::Op(Op::Mul, Scalar::F32, vec![divisor.clone(), nearer.clone()]);
                let reciprocal = Expr::Op(Op::Div, Scalar::F32, vec![number(1.0), scaled]);
                vec![nearer, self.named("reciprocal", reciprocal)]
            }
        };
        self.found.push((divisor.clone(), factors.clone()));
        factors
    }

    fn named(&mut self, name: &str, value: Expr) -> Expr {
        *self.fresh += 1;
        let local =
            Local { name: Arc::from(name), id: LocalId::Own(*self.fresh), scalar: Scalar::F32, width: 1 };
        self.before.push(Stmt::Declare { local: local.clone(), value, change: Change::Never });
        Expr::Local(local)
    }
}

fn number(x: f32) -> Expr {
    Expr::Literal(Value::F32(x))
}

#[cfg(test)]
mod tests {
    use super::{before_loops, number};
    use crate::hierarchy::Parallel;
    use crate::kernel::{Change, Expr, Local, LocalId, Stmt};
    use crate::nat::{Maker, Nat, Var};
    use crate::scalar::Op;
    use crate::types::Scalar;

    fn local(id: u32, scalar: Scalar) -> Local {
        Local { name: "x".into(), id: LocalId::Own(id), scalar, width: 1 }
    }

    fn divided(x: u32, by: Expr, scalar: Scalar) -> Expr {
        Expr::Op(Op::Div, scalar, vec![Expr::Local(local(x, scalar)), by])
    }

    /// `for …: x1 = x2 / by`
    fn looped(parallel: Parallel, by: Expr, scalar: Scalar) -> Vec<Stmt> {
        let body = vec![Stmt::Assign(local(1, scalar), divided(2, by, scalar))];
        vec![Stmt::Loop { var: Var::made(Maker::Comparison, "i", 0), extent: Nat::from(9), parallel, body }]
    }

    /// How many divisions are left in loops, and how many there are before them.
    fn divisions(body: &[Stmt]) -> (usize, usize) {
        let count = |stmt: &Stmt| {
            let mut count = 0;
            stmt.visit(&mut |stmt| {
                if let Some(e) = stmt.expr() {
                    e.visit(&mut |e| count += usize::from(matches!(e, Expr::Op(Op::Div, ..))));
                }
            });
            count
        };
        let (loops, others): (Vec<&Stmt>, Vec<&Stmt>) =
            body.iter().partition(|stmt| matches!(stmt, Stmt::Loop { .. }));
        (loops.into_iter().map(count).sum(), others.into_iter().map(count).sum())
    }

    #[test]
    fn loops_divide_by_nothing_that_they_do_not_change() {
        let of =
            |by: Expr| divisions(&before_loops(&looped(Parallel::Sequential, by, Scalar::F32), &mut 100));
        assert_eq!(of(Expr::Local(local(3, Scalar::F32))), (0, 1));
        assert_eq!(of(number(9.0)), (0, 0));
        assert_eq!(of(number(1e-35)), (0, 1));
        // Computed from what does not change, but for a division of integers, which may be by zero.
        let cast = |op| {
            let whole = |id| Expr::Local(local(id, Scalar::I32));
            let number = Expr::Op(op, Scalar::I32, vec![whole(4), whole(5)]);
            Expr::Cast(Scalar::I32, Scalar::F32, number.into())
        };
        assert_eq!(of(cast(Op::Add)), (0, 1));
        assert_eq!((of(cast(Op::Div)), of(cast(Op::Rem))), ((2, 0), (1, 0)));
        // It changes, or is of this iteration.
        assert_eq!(of(Expr::Local(local(1, Scalar::F32))), (1, 0));
        assert_eq!(of(Expr::Index(Nat::var(&Var::made(Maker::Comparison, "i", 0)), Scalar::F32)), (1, 0));
    }

    #[test]
    fn only_loops_of_a_work_item_and_f32_are_meant() {
        let by = |scalar| Expr::Local(local(3, scalar));
        let global = looped(Parallel::Global(0), by(Scalar::F32), Scalar::F32);
        assert_eq!(before_loops(&global, &mut 100), global);
        for scalar in [Scalar::F64, Scalar::F16, Scalar::I32] {
            let other = looped(Parallel::Sequential, by(scalar), scalar);
            assert_eq!(before_loops(&other, &mut 100), other);
        }
    }

    #[test]
    fn a_loop_inside_another_has_what_the_outer_one_changes_before_it() {
        let inner = looped(Parallel::Sequential, Expr::Local(local(3, Scalar::F32)), Scalar::F32);
        let value = number(2.0);
        let declared = Stmt::Declare { local: local(3, Scalar::F32), value, change: Change::Never };
        let body = [vec![declared], inner].concat();
        let parallel = Parallel::Sequential;
        let outer = vec![Stmt::Loop {
            var: Var::made(Maker::Comparison, "o", 0),
            extent: Nat::from(9),
            parallel,
            body,
        }];
        let done = before_loops(&outer, &mut 100);
        let [Stmt::Loop { body, .. }] = &done[..] else { panic!("nothing is before the outer loop") };
        assert_eq!(divisions(body), (0, 1));
    }
}
