//! The checker, and what to show it when some functions could not be parsed.

use crate::parse::{Constant, Item};
use lift_core::Program;
use lift_core::syntax::{Diagnostic, Expr, ExprKind, Function};
use std::collections::{HashMap, HashSet};
use syn::ext::IdentExt;

/// The checked programs by name; none at all if there are mistakes anywhere.
pub fn check(
    items: &[Item],
    constants: &[Constant],
    diagnostics: &mut Vec<Diagnostic>,
) -> HashMap<String, Program> {
    let functions = checkable(items, constants);
    match lift_core::check(&functions) {
        Ok(programs) if diagnostics.is_empty() => {
            programs.into_iter().map(|p| (p.name().to_string(), p)).collect()
        }
        Ok(_) => HashMap::new(),
        Err(mistakes) => {
            diagnostics.extend(mistakes);
            HashMap::new()
        }
    }
}

/// Functions that could not be parsed are left out, and so is whatever calls them: a call of
/// something that is not there would be one more error for the same mistake.
fn checkable(items: &[Item], constants: &[Constant]) -> Vec<Function> {
    let constant = constants.iter().filter_map(|c| c.function.as_ref());
    let mut functions: Vec<&Function> =
        constant.chain(items.iter().filter_map(|i| i.function.as_ref())).collect();
    let broken = items.iter().filter(|i| i.function.is_none());
    let mut missing: HashSet<String> = broken.map(Item::text).collect();
    let broken = constants.iter().filter(|c| c.function.is_none());
    missing.extend(broken.map(|c| c.name.unraw().to_string()));
    loop {
        // Whoever calls a function that was left out is left out as well, and so on until nothing changes.
        let (dropped, kept): (Vec<&Function>, Vec<&Function>) =
            functions.iter().partition(|f| mentions(&f.body, &missing));
        if dropped.is_empty() {
            return functions.into_iter().cloned().collect();
        }
        missing.extend(dropped.into_iter().map(|f| f.name.text.clone()));
        functions = kept;
    }
}

/// Does an expression name one of these? Scopes are ignored: one function too many is left out at worst.
pub fn mentions(e: &Expr, names: &HashSet<String>) -> bool {
    match &e.kind {
        ExprKind::Name(name) | ExprKind::Sized(name, _) => names.contains(name),
        ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) => false,
        ExprKind::Unary(_, a) | ExprKind::Cast(a, _) | ExprKind::Field(a, _) | ExprKind::Lambda(_, a) => {
            mentions(a, names)
        }
        ExprKind::Binary(_, a, b) | ExprKind::Index(a, b) => mentions(a, names) || mentions(b, names),
        ExprKind::If(a, b, c) => [a, b, c].into_iter().any(|e| mentions(e, names)),
        ExprKind::Tuple(es) | ExprKind::Array(es) => es.iter().any(|e| mentions(e, names)),
        ExprKind::Call(callee, es) => mentions(callee, names) || es.iter().any(|e| mentions(e, names)),
        ExprKind::Block(lets, tail) => {
            lets.iter().any(|l| mentions(&l.value, names)) || mentions(tail, names)
        }
    }
}
