//! Indices that are clamped, as where a tile extends beyond its array: the smaller of an index and a limit is used.

use crate::kernel::{Expr, Stmt};
use crate::nat::{Condition, Factor, Facts, Nat};

/// What holds where no index of a block is clamped, whatever the indices of loops in it are.
pub fn unclamped(block: &[Stmt], facts: &Facts) -> Option<Vec<Condition>> {
    let (outer, mut facts, mut inner, mut found) = (facts, facts.clone(), vec![], vec![]);
    for stmt in block {
        stmt.visit(&mut |stmt| {
            if let Stmt::Loop { var, extent, .. } = stmt {
                facts.range(var, &Nat::constant(0), extent);
                inner.push((var.clone(), extent - 1));
            }
            if let Stmt::Store(_, index, _) = stmt {
                limits(index, &mut found);
            }
            if let Some(e) = stmt.expr() {
                e.visit(&mut |e| match e {
                    Expr::Load(_, index, _) | Expr::Index(index, _) => limits(index, &mut found),
                    _ => {}
                });
            }
        });
    }
    let mut within: Vec<Condition> = vec![];
    for (index, limit) in found {
        // The index at its largest.
        let mut most = index;
        for (var, last) in inner.iter().rev() {
            if !most.contains(var) {
                continue;
            }
            let (factor, rest) = most.linear_in(var)?;
            most = match facts.bounds(&factor) {
                (Some(0..), _) => factor * last + rest,
                (_, Some(..=0)) => rest,
                _ => return None,
            };
        }
        if inner.iter().any(|(var, _)| limit.contains(var)) {
            return None;
        }
        let condition = Condition::le(outer.simplify(&most), limit);
        if !within.contains(&condition) {
            within.push(condition);
        }
    }
    // Of neighbours only the last counts.
    let mut needed: Vec<Condition> = vec![];
    for condition in within.into_iter().rev() {
        if !follow(&needed, std::slice::from_ref(&condition), outer) {
            needed.push(condition);
        }
    }
    Some(needed)
}

/// Do all of these follow from others?
pub fn follow(others: &[Condition], all: &[Condition], facts: &Facts) -> bool {
    let mut facts = facts.clone();
    others.iter().for_each(|other| facts.assume(other));
    all.iter().all(|condition| facts.certain(condition))
}

/// Indices of which the smaller of them and a limit is used.
fn limits(index: &Nat, found: &mut Vec<(Nat, Nat)>) {
    for (factor, _) in index.terms().iter().flat_map(|term| &term.factors) {
        match factor {
            Factor::Min(a, b) => found.push(if b.vars().len() > a.vars().len() {
                (b.clone(), a.clone())
            } else {
                (a.clone(), b.clone())
            }),
            Factor::Max(a, b)
            | Factor::Div(a, b)
            | Factor::Mod(a, b)
            | Factor::Sum(a, b)
            | Factor::Product(a, b) => {
                limits(a, found);
                limits(b, found);
            }
            Factor::Var(_) | Factor::TooLarge(..) => {}
        }
    }
}

/// How often an index is clamped.
pub fn clamps(index: &Nat) -> usize {
    let of = |factor: &Factor| match factor {
        Factor::Min(..) | Factor::Max(..) => 1,
        Factor::Div(a, b) | Factor::Mod(a, b) | Factor::Sum(a, b) | Factor::Product(a, b) => {
            clamps(a) + clamps(b)
        }
        Factor::Var(_) | Factor::TooLarge(..) => 0,
    };
    index.terms().iter().flat_map(|term| &term.factors).map(|(factor, _)| of(factor)).sum()
}
