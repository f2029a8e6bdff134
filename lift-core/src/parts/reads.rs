//! How arrays are read: by what reduces, and how often.

use crate::expr::{Argument, Expr, Kind, Lambda, Local, NodeId, Pattern};
use crate::primitives::{Applied, Form};
use crate::rules::paired;

/// Does a nest in this expression read elements of these values again and again: for all results of a map inside the function
/// that they are given to?
pub fn read_again(e: &Expr, values: &[Local]) -> bool {
    let uses = |e: &Expr| values.iter().any(|local| e.uses(local) > 0);
    if !uses(e) {
        return false;
    }
    let with = |more: Vec<Local>| values.iter().cloned().chain(more).collect::<Vec<_>>();
    match &*e.kind {
        Kind::Let(pattern, value, body) => {
            let named = if uses(value) && !reduces(value) { locals(pattern) } else { vec![] };
            read_again(value, values) || read_again(body, &with(named))
        }
        Kind::Apply(p, arguments) => arguments.iter().any(|argument| match argument {
            Argument::Function(f) => {
                let many = p.form.applied() == Applied::Elements;
                let elements = elements(e, f).into_iter().filter(|(_, xs)| uses(xs));
                let elements = with(elements.flat_map(|(pattern, _)| locals(pattern)).collect());
                many && uses(&f.body) && reduces(&f.body) || read_again(&f.body, &elements)
            }
            Argument::Generator(_, body) => read_again(body, values),
            Argument::Value(value) => read_again(value, values),
            Argument::Size(_) | Argument::Index(..) => false,
        }),
        _ => e.children().into_iter().any(|child| read_again(child, values)),
    }
}

/// The patterns of a map's or a reduction's function, each with the array whose elements it takes.
fn elements<'e>(e: &'e Expr, f: &'e Lambda) -> Vec<(&'e Pattern, &'e Expr)> {
    let Kind::Apply(_, arguments) = &*e.kind else { return vec![] };
    match (f.params.last(), arguments.last()) {
        (Some(pattern), Some(Argument::Value(xs))) => paired(pattern, xs),
        _ => vec![],
    }
}

/// The variables that a pattern binds.
pub fn locals(pattern: &Pattern) -> Vec<Local> {
    pattern.locals().into_iter().cloned().collect()
}

/// The arrays that a map or a reduction goes over, zipped ones each by itself, whose elements are read for many results of a
/// nest inside its function.
pub fn elements_read_again(e: &Expr) -> Vec<NodeId> {
    let Kind::Apply(_, arguments) = &*e.kind else { return vec![] };
    let functions = arguments.iter().filter_map(|argument| match argument {
        Argument::Function(f) => Some(f),
        Argument::Size(_) | Argument::Index(..) | Argument::Generator(..) | Argument::Value(_) => None,
    });
    let again =
        functions.flat_map(|f| elements(e, f).into_iter().filter(|(p, _)| read_again(&f.body, &locals(p))));
    again.map(|(_, xs)| xs.id).collect()
}

/// Is a reduction left in it?
pub fn reduces(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= is_reduction(e));
    found
}

/// Is it more than a view: does it make new values, and not only move them?
pub fn computes_anything(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| {
        let makes = matches!(
            &*e.kind,
            Kind::Op(..) | Kind::Cast(..) | Kind::If(..) | Kind::Size(_) | Kind::Test(_) | Kind::Array(_)
        );
        found |= makes || is_reduction(e);
    });
    found
}

fn is_reduction(e: &Expr) -> bool {
    let Kind::Apply(p, _) = &*e.kind else { return false };
    matches!(p.form.applied(), Applied::Reduction | Applied::Prefixes) || matches!(p.form, Form::Dot)
}

/// Is it a reduction, or does its function reduce?
pub fn reduces_itself(e: &Expr) -> bool {
    let Kind::Apply(_, arguments) = &*e.kind else { return false };
    let in_function = |a: &Argument| match a {
        Argument::Function(f) => reduces(&f.body),
        Argument::Generator(_, body) => reduces(body),
        Argument::Size(_) | Argument::Index(..) | Argument::Value(_) => false,
    };
    is_reduction(e) || arguments.iter().any(in_function)
}
