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
pub(super) fn elements<'e>(e: &'e Expr, f: &'e Lambda) -> Vec<(&'e Pattern, &'e Expr)> {
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

/// The arrays that a map goes over, zipped ones each by itself, whose elements are arrays that its function reads more than once.
pub fn elements_read_more(e: &Expr) -> Vec<NodeId> {
    let Some((f, _)) = e.as_map() else { return vec![] };
    let more = elements(e, f).into_iter().filter(|(pattern, _)| !arrays_once(&f.body, pattern));
    more.map(|(_, xs)| xs.id).collect()
}

/// Is an element of each array that has one of these names read for one result at most? Numbers may be used as often as one likes.
pub fn arrays_once(e: &Expr, names: &Pattern) -> bool {
    locals(names).iter().all(|local| {
        let mut places = 0;
        once(e, local, &mut places) && places <= 1
    })
}

/// Counts the places where an array of this name is read; false if its elements are read more than once from one of them.
fn once(e: &Expr, local: &Local, places: &mut usize) -> bool {
    let is_it = |e: &Expr| matches!(&*e.kind, Kind::Local(other) if other == local);
    match &*e.kind {
        Kind::Let(Pattern::Local(name), value, body) if is_it(value) => {
            once(body, local, places) && once(body, name, places)
        }
        Kind::Apply(p, arguments) => {
            let of_argument = arguments.iter().all(|argument| match argument {
                Argument::Value(value) if is_it(value) => {
                    *places += 1;
                    !p.form.repeats()
                }
                Argument::Value(value) => once(value, local, places),
                Argument::Function(Lambda { body, .. }) | Argument::Generator(_, body) => {
                    let mut inside = 0;
                    !is_it(body.tail()) && once(body, local, &mut inside) && inside == 0
                }
                Argument::Size(_) | Argument::Index(..) => true,
            });
            let of_elements = |f: &Lambda| {
                let read = elements(e, f).into_iter().filter(|(_, xs)| xs.uses(local) > 0);
                read.into_iter().all(|(pattern, _)| arrays_once(&f.body, pattern))
            };
            of_argument && e.as_map().is_none_or(|(f, _)| of_elements(f))
        }
        _ => e.children().into_iter().all(|child| once(child, local, places)),
    }
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

/// Of a `let` of what is read once, and in no function: with its value in place of its name.
pub(super) fn read_once(e: &Expr) -> Option<Expr> {
    match &*e.kind {
        Kind::Let(Pattern::Local(local), value, body)
            if body.uses(local) == 1 && !read_in_a_function(body, local) =>
        {
            Some(body.put(local, value))
        }
        _ => None,
    }
}

/// Is a variable read in a function?
pub fn read_in_a_function(e: &Expr, local: &Local) -> bool {
    e.named_children().into_iter().any(|(child, inside)| match child.is_in_function() {
        true => inside.uses(local) > 0,
        false => read_in_a_function(inside, local),
    })
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
