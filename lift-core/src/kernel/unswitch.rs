//! Guards taken out of loops: a condition that a loop does not change is tested once, before the loop, which is written
//! twice (loop unswitching); and a loop whose index decides is cut where it does (index set splitting).
//!
//! Most of a kernel's conditions are guards at the borders of padded arrays. An innermost loop over channels or columns
//! often has one that depends on the row alone, and one over a padded row has one at each end. Without them the loop is one
//! that compilers vectorise.

use super::{Expr, Kernel, Module, Parallel, Stmt};
use crate::nat::{Condition, Nat, Var};

/// A loop is written so many times at most, for two conditions.
const MOST: usize = 4;

/// A loop is cut into so many at most: what is before a border, between two, and behind.
const CUTS: usize = 3;

/// Shorter loops are not worth several.
const SHORT: i64 = 8;

/// The same module, its innermost loops without such guards. `is_row` says of which kernels neighbouring work-items are a loop.
pub fn unswitched(module: &Module, is_row: &dyn Fn(&Kernel) -> bool) -> Module {
    let size = |var: &Var| module.size(var);
    let mut unswitched = module.clone();
    for kernel in &mut unswitched.kernels {
        let guards = Guards { size: &size, rows: is_row(kernel) };
        kernel.body = guards.block(&kernel.body);
        kernel.item = kernel.item.as_deref().map(|item| guards.block(item));
    }
    unswitched
}

struct Guards<'a> {
    size: &'a dyn Fn(&Var) -> Option<i64>,
    /// Are neighbouring work-items a loop?
    rows: bool,
}

impl Guards<'_> {
    fn block(&self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().flat_map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&self, stmt: &Stmt) -> Vec<Stmt> {
        match stmt {
            Stmt::Loop { var, body, .. } if is_innermost(body) => self.unswitched(stmt, var, body, MOST),
            other => vec![other.rebuilt(&mut Expr::clone, &mut |stmts| self.block(stmts))],
        }
    }

    /// A loop, behind the first of its conditions that it does not change, as long as it may be written so many times.
    fn unswitched(&self, around: &Stmt, var: &Var, body: &[Stmt], most: usize) -> Vec<Stmt> {
        let found = guards(body).into_iter().find_map(|test| invariant(test, var)).filter(|_| most > 1);
        let Some(condition) = found else { return self.cut(around, var, body) };
        let side = |holds: bool| {
            let decided: Vec<Stmt> = body.iter().map(|stmt| assuming(stmt, &condition, holds)).collect();
            let same = around.rebuilt(&mut Expr::clone, &mut |_| decided.clone());
            self.unswitched(&same, var, &decided, most / 2)
        };
        vec![Stmt::If(Expr::Test(condition.clone()), side(true), side(false))]
    }

    /// A loop cut where the conditions on its index alone begin to hold or end.
    fn cut(&self, around: &Stmt, var: &Var, body: &[Stmt]) -> Vec<Stmt> {
        let whole = || vec![around.clone()];
        let Stmt::Loop { extent, parallel, .. } = around else { return whole() };
        let is_loop = match parallel {
            Parallel::Sequential => true,
            Parallel::Global(0) => self.rows,
            Parallel::Global(_) | Parallel::Group(_) | Parallel::Local(_) => false,
        };
        let length = extent.eval(&|v| (self.size)(v)).ok().filter(|n| is_loop && *n >= SHORT);
        let Some(length) = length else { return whole() };
        let parts = guards(body).into_iter().flat_map(Condition::conjuncts);
        let own: Vec<&Condition> = parts.filter(|part| self.changes(part, var, length)).collect();
        let Some(ends) = own.iter().map(|part| self.border(part, var, length)).collect::<Option<Vec<_>>>()
        else {
            return whole();
        };
        let mut ends: Vec<i64> = ends.into_iter().chain([0, length]).collect();
        ends.sort_unstable();
        ends.dedup();
        if own.is_empty() || ends.len() > CUTS + 1 {
            return whole();
        }
        let part = |pair: &[i64]| {
            let (first, extent) = (Nat::constant(pair[0]), Nat::constant(pair[1] - pair[0]));
            let decided = |stmt: &Stmt| {
                own.iter().fold(stmt.clone(), |stmt, part| {
                    let holds = self.holds(part, var, pair[0]).unwrap_or(false);
                    assuming(&stmt, part, holds)
                })
            };
            let from =
                |n: &Nat| n.substitute(&|v| if v == var { Some(Nat::var(var) + &first) } else { None });
            let body = body.iter().map(|stmt| decided(stmt).reindexed(&|n, _| from(n))).collect();
            Stmt::Loop { var: var.clone(), extent, parallel: *parallel, body }
        };
        ends.windows(2).map(part).collect()
    }

    /// Does it hold for some of the loop's indices only, from one on or up to one?
    fn changes(&self, part: &Condition, var: &Var, length: i64) -> bool {
        let Condition::Compare(_, a, b) = part else { return false };
        let linear = (a - b).linear_in(var).is_some();
        let ends = [0, length - 1].map(|index| self.holds(part, var, index));
        linear && matches!(ends, [Some(first), Some(last)] if first != last)
    }

    /// The first index for which it does not say what it says for 0.
    fn border(&self, part: &Condition, var: &Var, length: i64) -> Option<i64> {
        let first = self.holds(part, var, 0)?;
        let (mut before, mut behind) = (0, length - 1);
        while behind - before > 1 {
            let middle = before + (behind - before) / 2;
            let same = self.holds(part, var, middle)? == first;
            *(if same { &mut before } else { &mut behind }) = middle;
        }
        Some(behind)
    }

    fn holds(&self, part: &Condition, var: &Var, index: i64) -> Option<bool> {
        part.eval(&|v| if v == var { Some(index) } else { (self.size)(v) }).ok()
    }
}

fn is_innermost(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| stmt.blocks().is_empty())
}

/// The conditions on sizes and indices of choices between loads.
fn guards(body: &[Stmt]) -> Vec<&Condition> {
    let mut found = vec![];
    body.iter().filter_map(Stmt::expr).for_each(|e| of_choices(e, &mut found));
    found
}

fn of_choices<'e>(e: &'e Expr, found: &mut Vec<&'e Condition>) {
    if let Expr::Select(condition, then, otherwise) = e
        && let Expr::Test(test) = &**condition
        && (then.loads_scalars() || otherwise.loads_scalars())
    {
        found.push(test);
    }
    e.children().into_iter().for_each(|child| of_choices(child, found));
}

/// What of a condition has nothing to do with an index.
fn invariant(test: &Condition, var: &Var) -> Option<Condition> {
    let parts = test.conjuncts().into_iter().filter(|part| !part.vars().contains(var)).cloned();
    parts.reduce(Condition::and)
}

/// A statement where it is known whether a condition holds.
fn assuming(stmt: &Stmt, condition: &Condition, holds: bool) -> Stmt {
    stmt.rebuilt(&mut |e| decided(e, condition, holds), &mut |stmts| stmts.to_vec())
}

fn decided(e: &Expr, condition: &Condition, holds: bool) -> Expr {
    if let Expr::Select(test, then, otherwise) = e
        && let Expr::Test(test) = &**test
    {
        let (known, parts) = (condition.conjuncts(), test.conjuncts());
        if known.iter().all(|part| parts.contains(part)) {
            let [then, otherwise] = [then, otherwise].map(|side| decided(side, condition, holds));
            let rest = parts.into_iter().filter(|part| !known.contains(part)).cloned().reduce(Condition::and);
            return match rest {
                _ if !holds => otherwise,
                None => then,
                Some(rest) => Expr::Select(Expr::Test(rest).into(), then.into(), otherwise.into()),
            };
        }
    }
    e.map_children(&mut |child| decided(child, condition, holds))
}
