//! Primitives that say how a loop reads its array: anywhere else they would change nothing.
//!
//! `ahead` is for the array of a `reduceSeq`, or one of several that are zipped there, and `rotated` for the
//! array of a `mapSeq` or `reduceSeq`. A function that is called may put them there, so this is asked of programs
//! whose calls are inlined.

use super::{facts, infer_inlined};
use crate::expr::{Argument, Expr, Function, Kind};
use crate::primitives::{Form, Layout, Primitive};
use crate::syntax::Diagnostic;

/// What would change nothing where it stands.
pub fn check(function: &Function) -> Vec<Diagnostic> {
    let mut mistakes = vec![];
    inside(&function.body, Loop::None, &mut mistakes);
    if mistakes.is_empty() {
        mistakes.extend(apart(function));
    }
    mistakes
}

/// What goes over the elements of an array one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loop {
    None,
    Map,
    Reduction,
    /// The array is one of several that a reduction goes over together.
    Zipped,
}

fn inside(e: &Expr, around: Loop, mistakes: &mut Vec<Diagnostic>) {
    if let Kind::Typed(inner, _) = &*e.kind {
        return inside(inner, around, mistakes);
    }
    let Kind::Apply(p, arguments) = &*e.kind else {
        return e.children().into_iter().for_each(|child| inside(child, Loop::None, mistakes));
    };
    if !has_effect(*p, around) {
        mistakes.push(misplaced(e, *p));
    }
    let arrays = arguments.iter().filter(|a| matches!(a, Argument::Value(_))).count();
    let mut seen = 0;
    for argument in arguments {
        let Some(child) = argument.expr() else { continue };
        seen += usize::from(matches!(argument, Argument::Value(_)));
        let is_array = matches!(argument, Argument::Value(_)) && seen == arrays;
        inside(child, if is_array { over_array(*p, around) } else { read(*p, around) }, mistakes);
    }
}

/// The loop around the last array of a primitive.
fn over_array(p: Primitive, around: Loop) -> Loop {
    match p.form {
        Form::Map | Form::MapSeq(_) => Loop::Map,
        Form::Reduce | Form::ReduceSeq(_) => Loop::Reduction,
        _ => read(p, around),
    }
}

/// The loop around the other arrays.
fn read(p: Primitive, around: Loop) -> Loop {
    match (&p.form, around) {
        (Form::Zip, Loop::Reduction | Loop::Zipped) => Loop::Zipped,
        _ => Loop::None,
    }
}

fn has_effect(p: Primitive, around: Loop) -> bool {
    match p.form {
        Form::Ahead => matches!(around, Loop::Reduction | Loop::Zipped),
        Form::Rotated => matches!(around, Loop::Reduction | Loop::Map),
        _ => true,
    }
}

fn misplaced(e: &Expr, p: Primitive) -> Diagnostic {
    let (loops, form) = match p.form {
        Form::Ahead => ("`reduceSeq`", "`reduceSeq(init, f, ahead(xs))`, or `ahead(xs)` in a `zip` there"),
        _ => ("`mapSeq` or `reduceSeq`", "`mapSeq(f, rotated(xs))` or `reduceSeq(init, f, rotated(xs))`"),
    };
    Diagnostic::new(
        e.site,
        format!("`{}` changes nothing here: it is no array that a {loops} goes over", p.name),
    )
    .help(format!("write it where the array is used, without a `let` between: {form}"))
}

/// `rotated` windows that share no elements, whatever the sizes are.
fn apart(function: &Function) -> Vec<Diagnostic> {
    let mut found = vec![];
    function.body.visit(&mut |e| {
        if let Kind::Apply(p, arguments) = &*e.kind
            && matches!(p.form, Form::Rotated)
        {
            found.extend(arguments.first().and_then(Argument::expr).map(|windows| (e.site, windows.clone())));
        }
    });
    if found.is_empty() {
        return vec![];
    }
    let facts = facts(function);
    let Ok(typed) = infer_inlined(function, &facts) else { return vec![] };
    let are_apart = |windows: &Expr| match &*windows.kind {
        Kind::Apply(p, _) => match (&p.form, typed.bindings.get(&windows.id)) {
            (Form::Layout(Layout { once: Some(once), .. }), Some(sizes)) => facts.certain(&once(sizes)),
            _ => false,
        },
        _ => false,
    };
    let apart = found.into_iter().filter(|(_, windows)| are_apart(windows));
    apart
        .map(|(site, _)| {
            Diagnostic::new(site, "`rotated` changes nothing here: these windows share no elements")
                .note("it keeps in registers what a window has in common with the next")
                .help("leave it out, or move the windows by fewer elements than they have")
        })
        .collect()
}
