//! Programs that place their maps themselves on OpenCL's hierarchy of work-items; the rules are
//! [`crate::constraints`].
//!
//! A program without such maps is placed by lowering, and there is nothing to check. Where one
//! stands, everything written in the same kernel is placed: a plain `map` runs in the work-item
//! that reaches it.

mod effects;

use crate::check::{self, Typed};
use crate::constraints;
use crate::expr::{Function, Kind};
use crate::hierarchy::Space;
use crate::low;
use crate::primitives::Execution;
use crate::syntax::Diagnostic;

/// Does a program say itself where its maps run?
pub fn is_placed(function: &Function) -> bool {
    says(function, |said| matches!(said, Execution::Spread(_)))
}

/// Mistakes in the places, memories and loops that a function without calls asks for.
pub fn check(function: &Function) -> Vec<Diagnostic> {
    // Most programs say nothing of the kind, and need not be typed once more.
    if !says(function, |said| !matches!(said, Execution::Open | Execution::Sequential(_))) {
        return vec![];
    }
    // Mistakes in its shapes are reported elsewhere.
    check_typed(function, &check::types_of_inlined(function, &check::facts(function)))
}

/// The same, of a function whose types are known. A function that asks for memory but not for places is placed later: it
/// is a mistake if it has no placement.
pub fn check_typed(function: &Function, typed: &Typed) -> Vec<Diagnostic> {
    let Ok(low) = low::of(function, typed) else { return vec![] };
    let mut mistakes = if is_placed(function) {
        constraints::broken(&low)
    } else if says(function, |said| matches!(said, Execution::Kept(_))) {
        constraints::hopeless(&low, function.site).into_iter().collect()
    } else {
        vec![]
    };
    mistakes.extend(effects::check(&low.read, &check::facts(function)));
    mistakes
}

/// Mistakes of a program in its final form, which will not be placed any more.
pub fn check_final(function: &Function, low: &low::Write) -> Vec<Diagnostic> {
    let shares = |said| matches!(said, Execution::Spread(_) | Execution::Kept(Space::Local));
    let mut mistakes = if says(function, shares) { constraints::broken(low) } else { vec![] };
    mistakes.extend(effects::check(&low.read, &check::facts(function)));
    mistakes
}

/// Does any primitive in it say this of how something is executed?
fn says(function: &Function, this: impl Fn(Execution) -> bool) -> bool {
    let mut found = false;
    function.body.visit(&mut |e| found |= matches!(&*e.kind, Kind::Apply(p, _) if this(p.form.execution())));
    found
}
