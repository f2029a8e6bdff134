//! Programs that place their maps themselves on OpenCL's hierarchy of work-items; the rules are
//! [`crate::constraints`].
//!
//! A program without such maps is placed by lowering, and there is nothing to check. Where one
//! stands, everything written in the same kernel is placed: a plain `map` runs in the work-item
//! that comes to it.

mod effects;

use crate::check::{self, Typed};
use crate::constraints;
use crate::expr::{Function, Kind};
use crate::kernel::Space;
use crate::low;
use crate::primitives::Form;
use crate::syntax::Diagnostic;

/// Does a program say itself where its maps run?
pub fn is_placed(function: &Function) -> bool {
    has(function, |form| matches!(form, Form::Spread(_)))
}

/// Mistakes in what a function without calls says of places, memory and loops.
pub fn check(function: &Function) -> Vec<Diagnostic> {
    // Most programs say nothing of the kind, and need not be typed once more.
    let says = |form: &Form| {
        matches!(form, Form::Spread(_) | Form::Kept(_) | Form::Ahead | Form::Rotated | Form::Peeled)
    };
    if !has(function, says) {
        return vec![];
    }
    match check::infer_inlined(function, &check::facts(function)) {
        Ok(typed) => check_typed(function, &typed),
        // Mistakes in its shapes are told by themselves.
        Err(_) => vec![],
    }
}

/// The same, of a function whose types are known. One that only says what memory to use is to be placed yet: then it is a
/// mistake if that cannot be done.
pub fn check_typed(function: &Function, typed: &Typed) -> Vec<Diagnostic> {
    let Ok(low) = low::of(function, typed) else { return vec![] };
    let mut mistakes = match is_placed(function) {
        true => constraints::broken(&low),
        false if has(function, |form| matches!(form, Form::Kept(_))) => {
            constraints::hopeless(&low, function.site).into_iter().collect()
        }
        false => vec![],
    };
    mistakes.extend(effects::check(&low.read, &check::facts(function)));
    mistakes
}

/// Mistakes of a program that nobody will place any more.
pub fn check_final(function: &Function, low: &low::Write) -> Vec<Diagnostic> {
    let mut mistakes = match has(function, |form| matches!(form, Form::Spread(_) | Form::Kept(Space::Local)))
    {
        true => constraints::broken(low),
        false => vec![],
    };
    mistakes.extend(effects::check(&low.read, &check::facts(function)));
    mistakes
}

fn has(function: &Function, form: impl Fn(&Form) -> bool) -> bool {
    let mut found = false;
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Apply(p, _) if form(&p.form)));
    found
}
