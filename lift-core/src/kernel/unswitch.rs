//! Loop unswitching: a condition that a loop does not change is tested once, before the loop, which is written twice.
//!
//! Most of a kernel's conditions are guards at the borders of padded arrays, and an innermost loop over channels or
//! columns often has one that depends on the row alone. With the test outside, the loop is one that compilers vectorise.

use super::{Expr, Plan, Stmt};
use crate::nat::Var;

/// A loop is written so many times at most, for two conditions.
const MOST: usize = 4;

/// The same plan, its innermost loops unswitched.
pub fn unswitched(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    for kernel in &mut plan.kernels {
        kernel.body = block(&kernel.body);
        kernel.item = kernel.item.as_deref().map(block);
    }
    plan
}

fn block(stmts: &[Stmt]) -> Vec<Stmt> {
    stmts.iter().map(statement).collect()
}

fn statement(stmt: &Stmt) -> Stmt {
    match stmt {
        Stmt::Loop { var, body, .. } if is_innermost(body) => split(stmt, var, body, MOST),
        other => other.rebuilt(&mut Expr::clone, &mut |stmts| block(stmts)),
    }
}

fn is_innermost(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| stmt.blocks().is_empty())
}

/// A loop, behind the first of its conditions that it does not change, as long as it may be written so many times.
fn split(around: &Stmt, var: &Var, body: &[Stmt], most: usize) -> Stmt {
    let Some(condition) = invariant(body, var).filter(|_| most > 1) else { return around.clone() };
    let side = |holds: bool| {
        let decided: Vec<Stmt> = body.iter().map(|stmt| assuming(stmt, &condition, holds)).collect();
        let same = around.rebuilt(&mut Expr::clone, &mut |_| decided.clone());
        vec![split(&same, var, &decided, most / 2)]
    };
    Stmt::If(condition.clone(), side(true), side(false))
}

/// The first condition on sizes and indices, of a choice between loads, that has nothing to do with an index.
fn invariant(body: &[Stmt], var: &Var) -> Option<Expr> {
    let mut found = None;
    for e in body.iter().flat_map(Stmt::exprs) {
        e.visit(&mut |e| {
            if let Expr::Select(condition, then, otherwise) = e
                && let Expr::Test(test) = &**condition
                && (then.loads_scalars() || otherwise.loads_scalars())
                && !test.vars().contains(var)
            {
                found.get_or_insert_with(|| (**condition).clone());
            }
        });
    }
    found
}

/// A statement where it is known whether a condition holds.
fn assuming(stmt: &Stmt, condition: &Expr, holds: bool) -> Stmt {
    stmt.rebuilt(&mut |e| decided(e, condition, holds), &mut |stmts| stmts.to_vec())
}

fn decided(e: &Expr, condition: &Expr, holds: bool) -> Expr {
    match e {
        Expr::Select(test, then, otherwise) if **test == *condition => {
            decided(if holds { then } else { otherwise }, condition, holds)
        }
        other => other.map_children(&mut |child| decided(child, condition, holds)),
    }
}
