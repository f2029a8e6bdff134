//! Running results.

use super::super::build::{call, lambda, name, pattern};
use super::{Writer, added, multiplied};
use lift_core::syntax::{Expr, PatternKind};
use std::slice::from_ref;

/// Prefix sums of an array, or of rows.
pub fn scan(w: &mut Writer) -> Expr {
    let m = w.length("M");
    let outer = ["N", "B"][..w.pick(&[0, 0, 1, 1, 2])].iter().map(|text| w.size(text)).collect::<Vec<_>>();
    let rank = outer.len();
    let xs = w.array("xs", &[&outer[..], from_ref(&m)].concat(), false);
    let weights = w.once_in(3).then(|| w.input("weights", &[m], false));
    let starts = (rank == 1 && w.once_in(3)).then(|| w.input("starts", &outer, false));
    let result = match starts {
        Some(starts) => w.map_all(vec![xs, starts], |w, mut both| {
            let (start, row) = (both.pop().expect("a start"), both.pop().expect("a row"));
            running(w, Some(start), row, weights)
        }),
        None => w.deep(rank, xs, |w, row| running(w, None, row, weights)),
    };
    if w.once_in(8) { w.finished(rank + 1, result) } else { result }
}

fn running(w: &mut Writer, start: Option<Expr>, row: Expr, weights: Option<Expr>) -> Expr {
    let fold = w.fold();
    let start = start.unwrap_or_else(|| w.start(fold));
    let row = if w.once_in(6) { call("reverse", vec![row]) } else { row };
    let (acc, x, y) = (w.fresh(), w.fresh(), w.fresh());
    let parameter = |text: &str| pattern(PatternKind::Name(text.into()));
    let (pattern, term, xs) = match weights {
        Some(weights) => (
            pattern(PatternKind::Tuple(vec![parameter(&x), parameter(&y)])),
            multiplied(name(&x), name(&y)),
            call("zip", vec![row, weights]),
        ),
        None if w.once_in(3) => (parameter(&x), added(name(&x), name(&x)), row),
        None => (parameter(&x), name(&x), row),
    };
    let step = w.together(fold, name(&acc), term);
    call("scan", vec![start, lambda(vec![parameter(&acc), pattern], step), xs])
}
