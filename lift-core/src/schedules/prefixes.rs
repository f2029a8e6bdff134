//! Prefix sums as the rule `scanSplit` leaves them, and their loops.

use super::nest::{at_spine, is_map, spine};
use crate::expr::Child::{self, Array, Operand, Part, Step};
use crate::expr::{Expr, Kind};
use crate::primitives::Form;
use crate::rules::{MAP_SEQ, TO_GLOBAL, TO_PRIVATE};
use crate::strategy::{Strategy, Stuck, choose, id, in_start, in_step, inside, rule, seq};

pub(super) const WHY: &str =
    "only a scan that adds, multiplies, or takes the minimum or maximum can be split into chunks";

/// Where the sums before the chunks are, and the totals of the chunks, in what `scanSplit` makes:
/// `join(map(…, zip(starts, chunks)))`, where `starts` is `scan(z, …, pad(1, 0, 0, take(m / n - 1, totals)))`.
pub(super) const STARTS: [Child; 3] = [Operand, Array, Part(0)];
pub(super) const TOTALS: [Child; 6] = [Operand, Array, Part(0), Array, Operand, Operand];

pub(super) fn is_scan(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Scan))
}

/// The results of one loop over the elements, in global memory.
pub(super) fn running() -> Strategy {
    in_registers().then(at_spine(rule(&TO_GLOBAL)))
}

/// The running values in registers, one loop over the elements.
pub(super) fn in_registers() -> Strategy {
    choose(|e| {
        let path = spine(e);
        let scan =
            e.at(&path).filter(|e| is_scan(e)).ok_or_else(|| Stuck::Because("there is no scan".into()))?;
        let step = match scan.child(Step).is_some_and(is_map) {
            true => rule(&MAP_SEQ),
            false => id(),
        };
        Ok(inside(path, seq([in_start(rule(&TO_PRIVATE)), in_step(step)])))
    })
}
