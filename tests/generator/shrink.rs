//! The smallest program that goes wrong like a given one: what a person wants to see of it.

use lift_core::syntax::{Expr, ExprKind, Function};

/// So many smaller programs are tried.
const PATIENCE: usize = 300;

/// Replaces parts of the body by parts of theirs as long as `fails` says that it still goes wrong. Whether
/// what comes out is well-typed is for `fails` to find out.
pub fn shrink(functions: &[Function], fails: &mut dyn FnMut(&[Function]) -> bool) -> Vec<Function> {
    let mut best = functions.to_vec();
    let mut left = PATIENCE;
    'smaller: loop {
        for candidate in candidates(&best) {
            if left == 0 {
                return best;
            }
            if lift_core::check(&candidate).is_err() {
                continue;
            }
            left -= 1;
            if fails(&candidate) {
                best = candidate;
                continue 'smaller;
            }
        }
        return best;
    }
}

/// Without one of the functions but the last, or with a smaller body of one.
fn candidates(functions: &[Function]) -> Vec<Vec<Function>> {
    let mut found = vec![];
    for k in 0..functions.len() {
        let mut fewer = functions.to_vec();
        fewer.remove(k);
        found.extend((k + 1 < functions.len()).then_some(fewer));
        for body in smaller(&functions[k].body) {
            let mut changed = functions.to_vec();
            changed[k].body = body;
            found.push(changed);
        }
    }
    found
}

/// The expression with one node replaced by one of its parts, large steps first.
fn smaller(e: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = parts(&mut e.clone()).into_iter().map(|part| part.clone()).collect();
    for k in 0..found.len() {
        for replacement in smaller(&found[k].clone()) {
            let mut changed = e.clone();
            *parts(&mut changed).swap_remove(k) = replacement;
            found.push(changed);
        }
    }
    found
}

pub fn parts(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Name(_)
        | ExprKind::Int(..)
        | ExprKind::Float(..)
        | ExprKind::Bool(_)
        | ExprKind::Sized(..) => vec![],
        ExprKind::Unary(_, a) | ExprKind::Cast(a, _) | ExprKind::Field(a, _) | ExprKind::Lambda(_, a) => {
            vec![a]
        }
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => vec![a, b],
        ExprKind::Call(_, all) | ExprKind::Tuple(all) | ExprKind::Array(all) => all.iter_mut().collect(),
        ExprKind::Block(lets, tail) => {
            let values = lets.iter_mut().map(|one| &mut one.value);
            std::iter::once(&mut **tail).chain(values).collect()
        }
        ExprKind::If(a, b, c) => vec![b, c, a],
    }
}
