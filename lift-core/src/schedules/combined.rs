//! Several output channels and several neighbouring positions for each work-item (Hashemi 2019, §4).

use super::nest::{
    accumulate, at_level, at_reduction, global, levels, materialise, outwards, pack, sequential, simplify,
    simplify_typed, tidy, tile,
};
use crate::nat::Nat;
use crate::rules::{REDUCE_JOIN, TO_GLOBAL, VECTOR_ACCUMULATOR, VECTOR_MAP};
use crate::strategy::{Strategy, at_tail, attempt, everywhere, in_function, rule, seq, sized, top_down};

pub fn combined(weights: crate::expr::Local, d: &Nat, v: &Nat, rows: &Nat, columns: &Nat) -> Strategy {
    let _ = levels;
    let nest = seq([
        simplify(),
        everywhere(rule(&REDUCE_JOIN)),
        tidy(),
        // [y, x, k] to [kb, yb, xb, yi, xi, ki]
        tile(2, d),
        outwards(2, 2),
        tile(2, columns),
        tile(1, rows),
        outwards(3, 1),
        accumulate(5),
        top_down(sized(&VECTOR_ACCUMULATOR, &[v])),
        attempt(at_level(5, sized(&VECTOR_MAP, &[v]))),
        simplify_typed(),
        accumulate(4),
        accumulate(3),
        // [kb, yb, xb] are work-items.
        at_level(2, in_function(at_reduction(sequential().then(rule(&TO_GLOBAL))))),
        global(3),
    ]);
    let is_pad = |e: &crate::expr::Expr| matches!(&*e.kind, crate::expr::Kind::Apply(p, _) if matches!(p.form, crate::primitives::Form::Pad));
    seq([pack(d, weights), materialise(is_pad), at_tail(nest)])
}
