//! How much a launch has to do, roughly: whether waking other threads pays, and in what portions.

use lift_core::kernel::{Expr, Kernel, Plan, Stmt};
use lift_core::nat::Nat;

/// Operations of one launch, every loop carried out in full. An operation is some tenths of a
/// nanosecond to some nanoseconds.
pub fn operations(plan: &Plan, kernel: &Kernel) -> f64 {
    block(plan, &kernel.body)
}

fn block(plan: &Plan, body: &[Stmt]) -> f64 {
    body.iter().map(|s| statement(plan, s)).sum()
}

fn statement(plan: &Plan, stmt: &Stmt) -> f64 {
    match stmt {
        Stmt::Comment(_) | Stmt::Array(..) | Stmt::Barrier(_) => 0.0,
        Stmt::Declare { value, .. } | Stmt::Assign(_, value) => expression(value),
        Stmt::Store(_, _, value) => 1.0 + expression(value),
        Stmt::Loop { extent, body, .. } => trips(plan, extent) * (1.0 + block(plan, body)),
        Stmt::If(condition, then, otherwise) => {
            expression(condition) + block(plan, then).max(block(plan, otherwise))
        }
    }
}

/// Iterations of a loop; a guess where they depend on another loop's index.
fn trips(plan: &Plan, extent: &Nat) -> f64 {
    const GUESS: f64 = 8.0;
    let size = |v: &_| plan.sizes.iter().find(|(var, _)| var == v).map(|(_, value)| *value);
    extent.eval(&size).map_or(GUESS, |n| n as f64)
}

fn expression(e: &Expr) -> f64 {
    let inside = || e.children().into_iter().map(expression).sum::<f64>();
    match e {
        Expr::Literal(_) | Expr::Local(_) | Expr::Parameter { .. } | Expr::Index(..) => 0.0,
        Expr::Select(c, a, b) => expression(c) + expression(a).max(expression(b)),
        Expr::Splat(..) | Expr::Lanes(_) | Expr::Lane(..) => inside(),
        Expr::Test(_) | Expr::Load(..) | Expr::Op(..) | Expr::Cast(..) => 1.0 + inside(),
    }
}
