//! Weights, and what they are multiplied with, in the order in which a schedule reads them.

use super::NO_CHANNELS;
use super::nest::{computed_before, constants, levels};
use super::roles::{self, Roles};
use super::terms::{self, Apart};
use crate::expr::{Child, Expr, Function, Kind, Local, Path, Pattern};
use crate::nat::Nat;
use crate::rules::{INWARDS, PACK};
use crate::strategy::{Strategy, Stuck, choose, id, inside, rule, sized};
use std::collections::BTreeSet;

/// Another order in memory for the weights that a level goes over: blocks of `n` of their outer dimension, which
/// becomes the inner one.
pub fn pack(roles: &Roles, level: usize, n: &Nat) -> Result<Strategy, Stuck> {
    if !roles.channels.contains(&level) {
        return Err(Stuck::Because(NO_CHANNELS.into()));
    }
    Ok(in_blocks(level, n))
}

/// The same for what weights are multiplied with: blocks of `n` positions. Windows are written out, as im2col does.
pub fn gather(roles: &Roles, level: usize, n: &Nat) -> Result<Strategy, Stuck> {
    if !roles.positions.contains(&level) {
        return Err(Stuck::Because(NO_POSITIONS.into()));
    }
    Ok(in_blocks(level, n))
}

pub const NO_POSITIONS: &str =
    "no level goes only over what its weights are multiplied with, as over a product's rows";

/// A copy of what weights are multiplied with, in which terms follow each other that lie furthest apart where it is given: channels
/// that come first come last.
pub fn turn(roles: &Roles) -> Strategy {
    let roles = roles.clone();
    Strategy::new(move |state, path| {
        let stuck = || Stuck::Because(IN_A_ROW.into());
        let (e, typed) = state.at(path).zip(state.typed()).ok_or_else(stuck)?;
        let Apart { of, dimension, length, innermost } =
            terms::apart(e, &roles, &state.function, typed).ok_or_else(stuck)?;
        let once = e.uses(&of) == 1;
        let given = e.first(&|e| matches!(&*e.kind, Kind::Local(local) if *local == of));
        let given = given.filter(|_| once).ok_or_else(stuck)?;
        // The dimension becomes the last one of the array, or of each of its elements.
        let rank = typed.ty(e.at(&given).ok_or_else(stuck)?.id).map_or(0, |ty| ty.shape().0.len());
        let (turned, moved) = match dimension {
            0 => (sized(&PACK, &[&length]), &[Child::Operand, Child::Array][..]),
            1 if rank > 2 => (rule(&INWARDS), &[Child::Array][..]),
            _ => return Err(stuck()),
        };
        let kept = choose({
            let given = given.clone();
            move |e| {
                let moved = e.at(&given).and_then(|xs| xs.path(moved)).ok_or_else(stuck)?;
                Ok(computed_before(given.then(&moved), IN_A_ROW))
            }
        });
        inside(given, turned).then(innermost).then(kept).run(state, path)
    })
}

const IN_A_ROW: &str = "what weights are multiplied with is no array that is read in one place and whose first or second dimension a sum goes \
                        over, with others after it that none goes over";

fn in_blocks(level: usize, n: &Nat) -> Strategy {
    let n = n.clone();
    Strategy::new(move |state, path| {
        let stuck = || {
            Stuck::Because(
                "what would be rearranged is no array of two dimensions or more that the program is given"
                    .into(),
            )
        };
        let e = state.at(path).ok_or_else(stuck)?;
        let levels = levels(e);
        let found = |arrays: BTreeSet<Local>| source(e, &levels, level, &arrays);
        let weights = found(constants(&state.function)).or_else(|| found(tables(&state.function)));
        let weights = weights.ok_or_else(stuck)?;
        let given = e.at(&weights).is_some_and(|e| matches!(&*e.kind, Kind::Local(_)));
        if given && n.as_constant() == Some(1) {
            return Err(Stuck::Because(IN_ORDER.into()));
        }
        // What was rounded up to blocks is still made of that parameter.
        let of = e.at(&weights).and_then(|xs| parameter(xs, &state.function));
        let second = state
            .typed()
            .zip(of)
            .is_some_and(|(typed, local)| terms::go_over_second(e, local, &state.function, typed));
        // That dimension becomes the last, so that terms lie in the order in which they are read.
        let turned = if second { inside(weights.clone(), rule(&INWARDS)) } else { id() };
        let n = n.clone();
        let packed = choose(move |e| {
            let nothing = || Stuck::Because("nothing is packed".into());
            let of_map = || e.at(&weights).and_then(|map| map.path(&[Child::Array])).ok_or_else(nothing);
            let weights = if second { weights.then(&of_map()?) } else { weights.clone() };
            let kept = choose({
                let weights = weights.clone();
                move |e| {
                    // Blocks in memory, each read in the old order: `join(map(outwards, …))`.
                    let blocks = e.at(&weights).and_then(|xs| xs.path(&[Child::Operand, Child::Array]));
                    Ok(computed_before(weights.then(&blocks.ok_or_else(nothing)?), BLOCKS))
                }
            });
            Ok(inside(weights, sized(&PACK, &[&n])).then(kept))
        });
        turned.then(packed).run(state, path)
    })
}

/// The first parameter in an expression.
fn parameter<'e>(e: &'e Expr, function: &Function) -> Option<&'e Local> {
    let is_one =
        |e: &Expr| matches!(&*e.kind, Kind::Local(l) if function.params.iter().any(|p| p.local == *l));
    match &*e.at(&e.first(&is_one)?)?.kind {
        Kind::Local(local) => Some(local),
        _ => None,
    }
}

const IN_ORDER: &str = "weights are in this order already";

const BLOCKS: &str = "what would be rearranged depends on a value that is computed in a function, and can't be rearranged before it";

/// The path to the array that a level's map goes over.
fn array(e: &Expr, levels: &[Path], level: usize) -> Option<Path> {
    let map = levels.get(level)?;
    Some(map.then(&e.at(map)?.path(&[Child::Array])?))
}

/// The path to the array that a level goes over, if it is made of one of these parameters. It may be an element of what a
/// level around goes over: where each of several matrices is a factor by itself, each gets blocks of its own.
fn source(e: &Expr, levels: &[Path], level: usize, params: &BTreeSet<Local>) -> Option<Path> {
    let xs = array(e, levels, level)?;
    let zipped = e.at(&xs)?;
    roles::operands(zipped).into_iter().find_map(|operand| {
        is_part(e, levels, level, operand, params).then_some(())?;
        Some(xs.then(&zipped.first(&|e| std::ptr::eq(e, operand))?))
    })
}

/// Is the array that a level goes over made of one of these parameters alone, either directly or as an element of what a
/// level around it goes over?
fn is_part(e: &Expr, levels: &[Path], level: usize, operand: &Expr, params: &BTreeSet<Local>) -> bool {
    let around = (0..level).rev().filter_map(|k| Some((k, roles::parts(e.at(levels.get(k)?)?)?)));
    let mut elements = around.flat_map(|(k, (pattern, xs))| {
        roles::bound_to(pattern, xs).into_iter().map(move |(p, xs)| (k, p, xs))
    });
    let changes = |pattern: &Pattern| pattern.locals().into_iter().any(|local| operand.uses(local) > 0);
    match elements.find(|(_, pattern, _)| changes(pattern)) {
        Some((k, pattern, xs)) => {
            let others = elements.any(|(_, other, _)| changes(other));
            matches!(pattern, Pattern::Local(_)) && !others && is_part(e, levels, k, xs, params)
        }
        None => operand.first(&|e| matches!(&*e.kind, Kind::Local(l) if params.contains(l))).is_some(),
    }
}

/// The parameters that are arrays of more than one dimension.
fn tables(function: &Function) -> BTreeSet<Local> {
    let all = function.params.iter().filter(|p| p.ty.shape().0.len() > 1);
    all.map(|p| p.local.clone()).collect()
}
