//! Padding of sums: terms with a factor that padding put there are zeros. A loop all of whose terms are is skipped.
//!
//! Whether an element lies in the padding depends on few of the loops around it, as a rule: on the row of a kernel, not on the
//! channel. So the test stands before the largest loop that does not change it. Where results are computed side by side,
//! the terms of all must be zeros. A loop with barriers in it is left as it is: all work-items of a group must come to them.

use super::settled::{self, where_tested};
use crate::generate::zeros::Zeros;
use crate::kernel::{Array, ArrayId, Change, Expr, LocalId, Parallel, Stmt};
use crate::nat::{Condition, Facts, Nat, Relation, Var};
use crate::scalar::Op;
use std::collections::HashMap;
use std::sync::Arc;

/// A loop that executes fewer statements is not worth a test.
const LEAST: usize = 32;

/// Where something matters: where all of these hold. `None`: nowhere, it is zero or changes nothing.
type Where = Option<Vec<Condition>>;

/// Skips loops that add zeros only. `zeros` are those of arrays, `facts` what is known of sizes, with the values that `value` knows.
pub fn skipped(
    body: &[Stmt],
    zeros: &HashMap<ArrayId, Zeros>,
    facts: &Facts,
    value: &dyn Fn(&Nat) -> Option<usize>,
) -> Vec<Stmt> {
    Padding { zeros, value }.block(body, facts, false)
}

struct Padding<'a> {
    zeros: &'a HashMap<ArrayId, Zeros>,
    value: &'a dyn Fn(&Nat) -> Option<usize>,
}

impl Padding<'_> {
    /// The same statements behind tests; `tested` if a test stands before them already, which may decide conditions in them.
    fn block(&self, stmts: &[Stmt], facts: &Facts, tested: bool) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.statement(stmt, facts, tested)).collect()
    }

    fn statement(&self, stmt: &Stmt, facts: &Facts, tested: bool) -> Stmt {
        let (var, extent) = match stmt {
            Stmt::Loop { var, extent, .. } => (var, extent),
            Stmt::If(condition, then, otherwise) => {
                let [then, otherwise] = [(then, true), (otherwise, false)]
                    .map(|(side, holds)| self.block(side, &where_tested(facts, condition, holds), tested));
                return Stmt::If(condition.clone(), then, otherwise);
            }
            Stmt::Comment(_)
            | Stmt::Declare { .. }
            | Stmt::Assign(..)
            | Stmt::Array(..)
            | Stmt::Store(..)
            | Stmt::Soon(..)
            | Stmt::Barrier(_) => {
                return stmt.rebuilt(
                    &mut |e| if tested { settled::value(e, facts) } else { e.clone() },
                    &mut <[Stmt]>::to_vec,
                );
            }
        };
        let mut needed = match self.work(stmt) >= LEAST {
            true => self.changes(stmt, &mut HashMap::new(), facts).unwrap_or_default(),
            false => vec![],
        };
        needed.retain(|condition| !facts.certain(condition));
        let mut facts = facts.clone();
        needed.iter().for_each(|condition| facts.assume(condition));
        facts.range(var, &Nat::constant(0), extent);
        let tested = tested || !needed.is_empty();
        let same = stmt.rebuilt(&mut Expr::clone, &mut |body| self.block(body, &facts, tested));
        match needed.into_iter().reduce(Condition::and) {
            Some(needed) => Stmt::If(Expr::Test(needed), vec![same], vec![]),
            None => same,
        }
    }

    /// How many statements it executes, about.
    fn work(&self, stmt: &Stmt) -> usize {
        let inside = stmt.blocks().into_iter().flatten().map(|s| self.work(s)).fold(0, usize::saturating_add);
        match stmt {
            Stmt::Loop { extent, .. } => inside.saturating_mul((self.value)(extent).unwrap_or(1)),
            _ => inside + 1,
        }
    }

    /// Where a statement changes anything. `locals` are the variables before it that keep their values.
    fn changes(&self, stmt: &Stmt, locals: &mut HashMap<LocalId, Where>, facts: &Facts) -> Where {
        let everywhere = Some(vec![]);
        match stmt {
            Stmt::Comment(_) | Stmt::Array(..) | Stmt::Soon(..) => None,
            Stmt::Declare { local, value, change } => {
                if *change == Change::Never {
                    let counts = self.counts(value, locals, facts);
                    locals.insert(local.id, counts);
                }
                None
            }
            Stmt::Assign(local, value) => {
                let running = |e: &Expr| matches!(e, Expr::Local(l) if l.id == local.id);
                self.added(value, &running, locals, facts).unwrap_or(everywhere)
            }
            Stmt::Store(array, index, value) => {
                let running = |e: &Expr| matches!(e, Expr::Load(a, i, _) if a.id == array.id && i == index);
                self.added(value, &running, locals, facts).unwrap_or(everywhere)
            }
            Stmt::Barrier(_) => everywhere,
            Stmt::Loop { parallel, .. } if *parallel != Parallel::Sequential => everywhere,
            Stmt::Loop { var, extent, body, .. } => {
                let mut inside = facts.clone();
                inside.range(var, &Nat::constant(0), extent);
                let changes = self.any_changes(body, locals, &inside)?;
                Some(changes.iter().filter_map(|c| for_some(c, var, extent, facts)).collect())
            }
            Stmt::If(condition, then, otherwise) => {
                let [then, otherwise] = [(then, true), (otherwise, false)].map(|(side, holds)| {
                    self.any_changes(side, locals, &where_tested(facts, condition, holds))
                });
                match (condition, otherwise) {
                    (Expr::Test(test), None) => then.map(|then| both(then, conjuncts(test))),
                    (_, otherwise) => either(then, otherwise, facts),
                }
            }
        }
    }

    fn any_changes(&self, body: &[Stmt], locals: &HashMap<LocalId, Where>, facts: &Facts) -> Where {
        let mut locals = locals.clone();
        body.iter().fold(None, |any, stmt| either(any, self.changes(stmt, &mut locals, facts), facts))
    }

    /// Where what a value adds to a running value counts, if it is a sum of that and others.
    fn added(
        &self,
        value: &Expr,
        running: &dyn Fn(&Expr) -> bool,
        locals: &HashMap<LocalId, Where>,
        facts: &Facts,
    ) -> Option<Where> {
        if running(value) {
            return Some(None);
        }
        let Expr::Op(Op::Add, _, operands) = value else { return None };
        let [a, b] = &operands[..] else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(sum, term)| {
            let before = self.added(sum, running, locals, facts)?;
            Some(either(before, self.counts(term, locals, facts), facts))
        })
    }

    /// Where a value may be other than zero.
    fn counts(&self, e: &Expr, locals: &HashMap<LocalId, Where>, facts: &Facts) -> Where {
        let of = |e: &Expr| self.counts(e, locals, facts);
        let any = |all: &[Expr]| all.iter().fold(None, |any, e| either(any, of(e), facts));
        match e {
            Expr::Literal(value) if value.is_zero() => None,
            Expr::Literal(_) | Expr::Parameter { .. } | Expr::Index(..) | Expr::Test(_) => Some(vec![]),
            Expr::Local(local) => locals.get(&local.id).cloned().unwrap_or(Some(vec![])),
            Expr::Load(array, index, width) => Some(self.outside_padding(array, index, *width, facts)),
            Expr::Op(Op::Mul, _, factors) => factors.iter().map(of).reduce(|a, b| Some(both(a?, b?)))?,
            Expr::Op(Op::Add | Op::Sub | Op::Neg | Op::Min | Op::Max, _, operands) => any(operands),
            Expr::Op(..) => Some(vec![]),
            Expr::Lanes(lanes) => any(lanes),
            Expr::Cast(_, _, inner) | Expr::Splat(inner, _) | Expr::Lane(inner, _) => of(inner),
            Expr::Select(condition, then, otherwise) => match (&**condition, of(otherwise)) {
                (Expr::Test(test), None) => of(then).map(|then| both(then, conjuncts(test))),
                (_, otherwise) => either(of(then), otherwise, facts),
            },
        }
    }

    /// Where the elements from an index on may be others than the zeros of an array.
    fn outside_padding(&self, array: &Arc<Array>, index: &Nat, width: u8, facts: &Facts) -> Vec<Condition> {
        let Some(zeros) = self.zeros.get(&array.id) else { return vec![] };
        let outside = |lane: u8| conjuncts(&zeros.outside(&(index + i64::from(lane)), facts));
        let first = outside(0);
        match width {
            1 => first,
            _ => either(Some(first), Some(outside(width - 1)), facts).unwrap_or_default(),
        }
    }
}

/// The parts of a test that must hold together.
fn conjuncts(test: &Condition) -> Vec<Condition> {
    test.conjuncts().into_iter().cloned().collect()
}

/// What holds where both hold.
fn both(mut a: Vec<Condition>, b: Vec<Condition>) -> Vec<Condition> {
    for condition in b {
        if !a.contains(&condition) {
            a.push(condition);
        }
    }
    a
}

/// What certainly holds where one of them does.
fn either(a: Where, b: Where, facts: &Facts) -> Where {
    let (Some(a), Some(b)) = (&a, &b) else { return a.or(b) };
    Some(a.iter().filter_map(|c| b.iter().find_map(|d| weaker(c, d, facts))).collect())
}

/// The one of two conditions that holds wherever the other does, if they are alike.
fn weaker(a: &Condition, b: &Condition, facts: &Facts) -> Option<Condition> {
    if a == b {
        return Some(a.clone());
    }
    let (Condition::Compare(r, w, x), Condition::Compare(s, y, z)) = (a, b) else { return None };
    let apart = facts.simplify(&((w - x) - (y - z))).as_constant().filter(|_| r == s)?;
    match r {
        Relation::Ge | Relation::Gt => Some(if apart >= 0 { a.clone() } else { b.clone() }),
        Relation::Le | Relation::Lt => Some(if apart <= 0 { a.clone() } else { b.clone() }),
        Relation::Eq | Relation::Ne => (apart == 0).then(|| a.clone()),
    }
}

/// What certainly holds where a condition holds for some index of a loop.
fn for_some(condition: &Condition, var: &Var, extent: &Nat, facts: &Facts) -> Option<Condition> {
    if !condition.vars().contains(var) {
        return Some(condition.clone());
    }
    let Condition::Compare(relation, a, b) = condition else { return None };
    let (coefficient, _) = (a - b).linear_in(var)?;
    let grows = facts.holds(&Condition::ge(&coefficient, Nat::constant(0)));
    let falls = facts.holds(&Condition::le(&coefficient, Nat::constant(0)));
    let highest = match relation {
        Relation::Ge | Relation::Gt => true,
        Relation::Le | Relation::Lt => false,
        Relation::Eq | Relation::Ne => return None,
    };
    let at = match (grows, falls) {
        (true, _) if highest => extent - 1,
        (true, _) => Nat::constant(0),
        (_, true) if highest => Nat::constant(0),
        (_, true) => extent - 1,
        (false, false) => return None,
    };
    Some(condition.map(&|n| facts.simplify(&n.substitute(&|v| (v == var).then(|| at.clone())))))
}
