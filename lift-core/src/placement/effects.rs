//! Primitives that say how a loop reads its array: anywhere else they would change nothing.
//!
//! `ahead` is for the array of a `reduceSeq`, or one of several that are zipped there, and `rotated` for the
//! array of a `mapSeq` or `reduceSeq`. A function that is called may put them there, so this is asked of programs
//! whose calls are inlined.

use crate::low::{Over, Read, Reading};
use crate::nat::Facts;
use crate::syntax::{Diagnostic, Site};
use std::rc::Rc;

/// What would change nothing where it stands.
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

/// What goes over the elements of an array one after the other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loop {
    None,
    Map,
    /// Its elements are different work-items'.
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
            let form = "`mapGlb(0, f, peeled(xs))`, say";
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
    Diagnostic::new(site, format!("`{name}` changes nothing here: it is no array that a {loops} goes over"))
        .help(format!("write it where the array is used, without a `let` between: {form}"))
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
    Diagnostic::new(site, "`rotated` changes nothing here: these windows share no elements")
        .note("it keeps in registers what a window has in common with the next")
        .help("leave it out, or move the windows by fewer elements than they have")
}
