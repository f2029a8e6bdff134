//! Long sums in parts, so that more groups have work: one kernel computes the partial sums, another adds them
//! up (GPGPU'20 §4.2, "split reduction").

use super::nest::{
    at_level, at_reduction, interchange, last_array, levels, reduction, simplify, spine, tidy,
};
use super::roles::Roles;
use crate::expr::Expr;
use crate::nat::Nat;
use crate::rules::{
    HOIST, MAP_FISSION, PROJECT, REDUCE_FISSION, REDUCE_INTERCHANGE, REDUCE_SPLIT, TO_GLOBAL,
};
use crate::strategy::{Strategy, Stuck, Way, choose, everywhere, inside, inwards, rule, seq, sized};

/// Puts the terms of the nest's sums into blocks by the strategy `blocks`, so that `sums` nested sums go over
/// blocks, and every `parts`-th block of the last of these into the same part. `rest` is applied to the nest of
/// the partial sums, which has one level more: that of the parts, outermost.
pub fn partial_sums(
    roles: &Roles,
    (sums, blocks): (usize, Strategy),
    parts: &Nat,
    rest: Strategy,
) -> Strategy {
    let innermost = roles.levels - 1;
    let at = |depth: usize, s: Strategy| {
        at_level(innermost, inside(&[0], at_reduction(inside(&vec![1; depth], s))))
    };
    let outwards = (0..sums).rev().map(|depth| at(depth, rule(&REDUCE_INTERCHANGE)));
    seq([
        blocks,
        at(sums.saturating_sub(1), sized(&REDUCE_SPLIT, &[parts])),
        seq(outwards),
        at(0, rule(&REDUCE_FISSION)),
        simplify(),
        apart(innermost),
        inside(&[0, 0], rest),
    ])
}

/// The terms that the reduction inside `innermost + 1` levels adds up, as a nest and a kernel of its own. The
/// innermost level becomes the outermost, so that neighbours in memory are the same as in the result.
fn apart(innermost: usize) -> Strategy {
    let kept = choose(move |e| {
        let way = terms(e)?;
        let ordered = (0..=innermost).rev().map(interchange);
        let nest = seq([everywhere(rule(&PROJECT)), simplify(), tidy(), seq(ordered)]);
        let hoisted = choose({
            let way = way.clone();
            move |e| {
                let way = [way.clone(), spine(e.at(&way).ok_or_else(none)?)].concat();
                Ok(inside(&way, rule(&TO_GLOBAL)).then(inwards(&HOIST, way)))
            }
        });
        Ok(inside(&way, nest).then(hoisted))
    });
    taken_out(innermost).then(kept)
}

/// The terms that the reduction inside `innermost + 1` levels adds up, as a nest of its own before this one.
pub fn taken_out(innermost: usize) -> Strategy {
    let terms = at_level(
        innermost,
        choose(|map| {
            let body = map.at(&[0]).ok_or_else(none)?;
            let way = [reduction(body).ok_or_else(none)?, vec![2]].concat();
            Ok(inwards(&MAP_FISSION, way))
        }),
    );
    let outwards = (0..innermost).rev().map(|level| {
        at_level(level, choose(|map| Ok(inwards(&MAP_FISSION, fissioned(map.at(&[0]).ok_or_else(none)?)?))))
    });
    terms.then(seq(outwards))
}

/// The way to the nest that was taken out.
pub fn terms(e: &Expr) -> Result<Way, Stuck> {
    let level = levels(e).first().cloned().ok_or_else(none)?;
    Ok([level.clone(), fissioned(e.at(&level).ok_or_else(none)?)?].concat())
}

fn none() -> Stuck {
    Stuck("there is no reduction in the innermost map".into())
}

/// From a map to the array that was taken out of its function: the last of its arrays.
fn fissioned(map: &Expr) -> Result<Way, Stuck> {
    last_array(map).ok_or_else(none)
}
