//! Programs that place their maps themselves on OpenCL's hierarchy of work-items; the rules are
//! [`crate::constraints`].
//!
//! A program without such maps is placed by lowering, and there is nothing to check. Where one
//! stands, everything written in the same kernel is placed: a plain `map` runs in the work-item
//! that comes to it.

use crate::constraints;
use crate::expr::{Function, Kind};
use crate::kernel::Space;
use crate::primitives::Form;
use crate::syntax::Diagnostic;

/// Does a program say itself where its maps run?
pub fn is_placed(function: &Function) -> bool {
    has(function, |form| matches!(form, Form::Spread(_)))
}

/// Mistakes in the placement of a function without calls. One that only says what memory to use is
/// to be placed yet: then it is a mistake if that cannot be done.
pub fn check(function: &Function) -> Vec<Diagnostic> {
    match is_placed(function) {
        true => constraints::broken(function),
        false if has(function, |form| matches!(form, Form::Kept(_))) => {
            constraints::hopeless(function).into_iter().collect()
        }
        false => vec![],
    }
}

/// As [`check`], where nobody will place any more.
pub fn check_final(function: &Function) -> Vec<Diagnostic> {
    match has(function, |form| matches!(form, Form::Spread(_) | Form::Kept(Space::Local))) {
        true => constraints::broken(function),
        false => vec![],
    }
}

fn has(function: &Function, form: fn(&Form) -> bool) -> bool {
    let mut found = false;
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Apply(p, _) if form(&p.form)));
    found
}
