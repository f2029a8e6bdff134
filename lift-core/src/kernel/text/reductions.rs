//! Loops that only update running values of float reductions by `+`, `*`, `min` or `max`. The terms of
//! such a reduction may be taken in any order, so several can be computed at a time; a compiler that is
//! not told keeps the order of floats.

use crate::kernel::{Expr, Local, LocalId, Stmt};
use crate::scalar::Op;
use crate::types::Scalar;
use std::collections::{BTreeMap, HashSet};

/// A loop's running values, by the operator that combines each with its terms.
pub type Reductions<'a> = BTreeMap<(Op, Scalar), Vec<&'a Local>>;

/// The running values that a loop with this body only combines with terms. `None` if it does anything else.
/// `running` are the variables that hold running values of reductions.
pub fn only_reductions<'a>(body: &'a [Stmt], running: &HashSet<LocalId>) -> Option<Reductions<'a>> {
    let mut found = Reductions::new();
    let mut terms = vec![];
    for stmt in body {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Declare { value, .. } => terms.push(value),
            Stmt::Assign(local, value) if running.contains(&local.id) && is_plain_float(local) => {
                let (op, term) = combined(local, value)?;
                found.entry((op, local.scalar)).or_default().push(local);
                terms.push(term);
            }
            _ => return None,
        }
    }
    let locals: Vec<&Local> = found.values().flatten().copied().collect();
    let distinct = locals.iter().map(|local| local.id).collect::<HashSet<_>>();
    let independent = terms.iter().all(|term| !mentions_any(term, &distinct));
    (!locals.is_empty() && distinct.len() == locals.len() && independent).then_some(found)
}

/// Integers may be reordered anyway, and a vector of several floats is several running values already.
fn is_plain_float(local: &Local) -> bool {
    local.width == 1 && local.scalar.is_float()
}

/// The operator and the term of `local = local + term`, say.
fn combined<'a>(local: &Local, value: &'a Expr) -> Option<(Op, &'a Expr)> {
    let Expr::Op(op @ (Op::Add | Op::Mul | Op::Min | Op::Max), _, operands) = value else { return None };
    let is_running = |e: &Expr| matches!(e, Expr::Local(l) if l == local);
    match &operands[..] {
        [a, b] if is_running(a) => Some((*op, b)),
        [a, b] if is_running(b) => Some((*op, a)),
        _ => None,
    }
}

fn mentions_any(e: &Expr, locals: &HashSet<LocalId>) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e, Expr::Local(local) if locals.contains(&local.id)));
    found
}
