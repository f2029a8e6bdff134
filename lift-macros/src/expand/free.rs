//! Which sizes a caller passes, for a function that has no program because of mistakes.
//! [`lift_core::Program::free_sizes`] knows; this guesses as well as the syntax allows.

use crate::parse::Item;
use lift_core::syntax::{Binary, Expr, ExprKind, TypeExpr, TypeKind};
use std::collections::HashSet;
use syn::ext::IdentExt;

/// The sizes that no parameter's shape determines: a length that is linear in its only unknown name determines
/// it, as in [`lift_core::Program::solve`].
pub fn guess(item: &Item) -> HashSet<String> {
    let mut lengths = vec![];
    item.params.iter().filter_map(|p| p.ty.as_ref()).for_each(|ty| collect(ty, &mut lengths));
    let mut free: HashSet<String> = item.sizes.iter().map(|s| s.name.unraw().to_string()).collect();
    loop {
        let solved = lengths.iter().find_map(|length| {
            let mut open = vec![];
            (linear(length, &free, &mut open) && open.len() == 1).then(|| open.remove(0))
        });
        match solved {
            Some(name) => free.remove(&name),
            None => return free,
        };
    }
}

/// All lengths in a type.
fn collect<'a>(ty: &'a TypeExpr, lengths: &mut Vec<&'a Expr>) {
    match &ty.kind {
        TypeKind::Name(_) => {}
        TypeKind::Array(element, length) => {
            lengths.push(length);
            collect(element, lengths);
        }
        TypeKind::Tuple(parts) => parts.iter().for_each(|part| collect(part, lengths)),
    }
}

/// Is a length a sum of products? `open` are the names in it that are not solved yet. A product of two of them is taken
/// for linear as well: the guess only has to give the signature that the mended program will most likely have.
fn linear(e: &Expr, free: &HashSet<String>, open: &mut Vec<String>) -> bool {
    match &e.kind {
        ExprKind::Int(..) => true,
        ExprKind::Name(name) => {
            if free.contains(name) {
                open.push(name.clone());
            }
            true
        }
        ExprKind::Unary(_, a) => linear(a, free, open),
        ExprKind::Binary(Binary::Add | Binary::Sub | Binary::Mul, a, b) => {
            linear(a, free, open) && linear(b, free, open)
        }
        _ => false,
    }
}
