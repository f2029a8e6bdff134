//! Long sums in parts, so that more groups have work: one kernel computes the partial sums, another adds them
//! up (GPGPU'20 §4.2, "split reduction").

use super::nest::{
    at_level, at_reduction, hoist, interchange, last_array, levels, reduction, simplify, spine, tidy,
};
use super::roles::Roles;
use crate::expr::Child::{Array, Function, Step};
use crate::expr::{Expr, Path};
use crate::nat::Nat;
use crate::rules::{MAP_FISSION, PROJECT, REDUCE_FISSION, REDUCE_INTERCHANGE, REDUCE_SPLIT, TO_GLOBAL};
use crate::strategy::{
    Strategy, Stuck, choose, everywhere, in_function, in_operand, in_value, inside, inwards, rule, seq, sized,
};

/// Which blocks of terms a part gets.
#[derive(Clone, Copy)]
pub enum Dealt {
    /// One of every few: parts that work at the same time read neighbours.
    InTurn,
    /// Blocks that follow each other, which a processor's core reads ahead of.
    InARow,
}

/// Splits the nest's reduction into `parts` partial sums. The strategy `blocks` cuts its terms into blocks, which
/// `sums` nested reductions then go over; the blocks of the innermost of these are dealt to the parts.
/// `rest` is applied to the nest of the partial sums, which has one more level, the outermost: that of the parts.
pub fn partial_sums(
    roles: &Roles,
    (sums, blocks): (usize, Strategy),
    (parts, dealt): (&Nat, Dealt),
    rest: Strategy,
) -> Strategy {
    let innermost = roles.levels - 1;
    let at = |depth: usize, s: Strategy| {
        at_level(innermost, in_function(at_reduction(inside(vec![Step; depth], s))))
    };
    // The loop over parts is inside one over what a part gets, or around it.
    let (split, inside) = match dealt {
        Dealt::InTurn => (sized(&REDUCE_SPLIT, &[parts]), sums),
        Dealt::InARow => (in_parts(parts), sums.saturating_sub(1)),
    };
    let outwards = (0..inside).rev().map(|depth| at(depth, rule(&REDUCE_INTERCHANGE)));
    seq([
        blocks,
        at(sums.saturating_sub(1), split),
        seq(outwards),
        at(0, rule(&REDUCE_FISSION)),
        simplify(),
        apart(innermost),
        in_value(in_operand(rest)),
    ])
}

/// The terms of a reduction in so many rows.
fn in_parts(parts: &Nat) -> Strategy {
    let parts = parts.clone();
    Strategy::new(move |state, path| {
        let terms = state.at(path).and_then(|e| e.child(Array));
        let length = terms.and_then(|terms| Some(state.typed()?.ty(terms.id)?.as_array()?.1.clone()));
        sized(&REDUCE_SPLIT, &[&length.ok_or_else(none)?.div(&parts)]).run(state, path)
    })
}

/// The terms that the reduction inside `innermost + 1` levels adds up, as a nest and a kernel of its own. The
/// innermost level becomes the outermost, so that neighbours in memory are the same as in the result.
fn apart(innermost: usize) -> Strategy {
    let kept = choose(move |e| {
        let path = terms(e)?;
        let ordered = (0..=innermost).rev().map(interchange);
        let nest = seq([everywhere(rule(&PROJECT)), simplify(), tidy(), seq(ordered)]);
        let hoisted = choose({
            let path = path.clone();
            move |e| {
                let path = path.then(&spine(e.at(&path).ok_or_else(none)?));
                Ok(inside(path.clone(), rule(&TO_GLOBAL)).then(hoist(path)))
            }
        });
        Ok(inside(path, nest).then(hoisted))
    });
    taken_out(innermost).then(kept)
}

/// The terms that the reduction inside `innermost + 1` levels adds up, as a nest of its own before this one.
pub fn taken_out(innermost: usize) -> Strategy {
    array_taken_out(innermost, |body| {
        let sum = reduction(body)?;
        Some(sum.then(&body.at(&sum)?.path(&[Array])?))
    })
}

/// The same for any array in the function of the innermost level.
pub fn array_taken_out(innermost: usize, find: impl Fn(&Expr) -> Option<Path> + 'static) -> Strategy {
    let array = choose(move |map| {
        let found = map.child(Function).and_then(&find).ok_or_else(none)?;
        Ok(inwards(&MAP_FISSION, found))
    });
    let outwards = (0..innermost).rev().map(|level| {
        let further = choose(|map| {
            let body = map.child(Function).ok_or_else(none)?;
            Ok(inwards(&MAP_FISSION, fissioned(body)?))
        });
        at_level(level, further)
    });
    at_level(innermost, array).then(seq(outwards))
}

/// The path to the nest that was taken out.
pub fn terms(e: &Expr) -> Result<Path, Stuck> {
    let level = levels(e).first().cloned().ok_or_else(none)?;
    Ok(level.then(&fissioned(e.at(&level).ok_or_else(none)?)?))
}

fn none() -> Stuck {
    Stuck::Because("there is no reduction in the innermost map".into())
}

/// From a map to the array that was taken out of its function: the last of its arrays.
fn fissioned(map: &Expr) -> Result<Path, Stuck> {
    last_array(map).ok_or_else(none)
}
