//! Primitives that say how a loop reads its array: anywhere else they would have no effect.
//!
//! `ahead` is for the array of a `reduceSeq`, or one of several that are zipped there, and `rotated` for the
//! array of a `mapSeq` or `reduceSeq`. A function that is called may put them there, so this is asked of programs
//! whose calls are inlined.

use crate::low::{Over, Read, Reading};
use crate::nat::Facts;
use crate::syntax::{Diagnostic, Site};
use std::rc::Rc;

/// The primitives that have no effect where they stand.
pub fn check(body: &Read, facts: &Facts) -> Vec<Diagnostic> {
    let mut mistakes = vec![];
    inside(body, Loop::None, &mut mistakes);
    if mistakes.is_empty() {
        body.visit(&mut |e| {
            if let Reading::Rotated(windows) = &e.kind
                && are_apart(windows, facts)
            {
                mistakes.push(share_nothing(e.site));
            }
        });
    }
    mistakes
}

/// The loop that goes over an array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loop {
    None,
    Map,
    /// A map whose iterations are spread over work-items.
    Spread,
    Reduction,
    /// The array is one of several that a reduction goes over together.
    Zipped,
}

fn inside(e: &Read, around: Loop, mistakes: &mut Vec<Diagnostic>) {
    match &e.kind {
        Reading::Ahead(_) if !matches!(around, Loop::Reduction | Loop::Zipped) => {
            let form = "`reduceSeq(init, f, ahead(xs))`, or `ahead(xs)` in a `zip` there";
            mistakes.push(misplaced(e.site, "ahead", "`reduceSeq`", form));
        }
        Reading::Rotated(_) if !matches!(around, Loop::Reduction | Loop::Map) => {
            let form = "`mapSeq(f, rotated(xs))` or `reduceSeq(init, f, rotated(xs))`";
            mistakes.push(misplaced(e.site, "rotated", "`mapSeq` or `reduceSeq`", form));
        }
        Reading::Peeled(_) if !matches!(around, Loop::Map | Loop::Spread) => {
            let form = "for example `mapGlb(0, f, peeled(xs))`";
            mistakes.push(misplaced(e.site, "peeled", "placed `map`", form));
        }
        _ => {}
    }
    for operand in e.operands() {
        inside(operand, goes_over(e, operand, around), mistakes);
    }
    if let Some(body) = e.function() {
        inside(body, Loop::None, mistakes);
    }
}

/// The loop that goes over an operand.
fn goes_over(e: &Read, operand: &Rc<Read>, around: Loop) -> Loop {
    match &e.kind {
        Reading::Map(map) => match map.run.in_order() {
            true => Loop::Map,
            false => Loop::Spread,
        },
        Reading::Fold(fold) => match &fold.over {
            Over::Elements { of, .. } if Rc::ptr_eq(of, operand) => Loop::Reduction,
            Over::Elements { .. } | Over::Prefixes { .. } | Over::Times(_) => Loop::None,
        },
        Reading::Zip(_) if matches!(around, Loop::Reduction | Loop::Zipped) => Loop::Zipped,
        _ => Loop::None,
    }
}

fn misplaced(site: Site, name: &str, loops: &str, form: &str) -> Diagnostic {
    Diagnostic::new(site, format!("`{name}` has no effect here: no {loops} goes over this array"))
        .help(format!("apply it to the array in the loop itself, not through a `let`: {form}"))
}

/// Do windows share no elements, whatever the sizes are?
fn are_apart(windows: &Read, facts: &Facts) -> bool {
    match &windows.kind {
        Reading::Layout(indexed, _) => {
            indexed.layout.once.is_some_and(|once| facts.certain(&once(&indexed.bindings)))
        }
        _ => false,
    }
}

fn share_nothing(site: Site) -> Diagnostic {
    Diagnostic::new(site, "`rotated` has no effect here: these windows do not overlap")
        .note("it keeps the elements that a window shares with the next one in registers")
        .help("remove it, or move the windows by fewer elements than they have")
}
