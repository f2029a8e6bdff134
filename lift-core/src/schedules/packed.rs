//! Weights in the order in which a schedule reads them.

use super::NO_CHANNELS;
use super::nest::{constants, hoist, levels};
use super::roles::{self, Roles};
use crate::expr::{Child, Expr, Function, Kind, Local, Path, Pattern};
use crate::nat::Nat;
use crate::rules::PACK;
use crate::strategy::{Strategy, Stuck, choose, inside, sized};
use std::collections::BTreeSet;

/// Another order in memory for the weights that a level goes over: blocks of `n` of their outer dimension, which
/// becomes the inner one.
pub fn pack(roles: &Roles, level: usize, n: &Nat) -> Result<Strategy, Stuck> {
    if !roles.channels.contains(&level) {
        return Err(Stuck(NO_CHANNELS.into()));
    }
    let n = n.clone();
    Ok(Strategy::new(move |state, path| {
        let stuck =
            || Stuck("the weights are no array of two dimensions or more that the program is given".into());
        let e = state.at(path).ok_or_else(stuck)?;
        let levels = levels(e);
        let xs = array(e, &levels, level).ok_or_else(stuck)?;
        let found = |arrays: BTreeSet<Local>| source(e, &levels, level, &xs, &arrays);
        let weights = found(constants(&state.function)).or_else(|| found(tables(&state.function)));
        let weights = weights.ok_or_else(stuck)?;
        let packed = choose({
            let weights = weights.clone();
            move |e| {
                // Blocks in memory, each read in the old order: `join(map(outwards, toGlobal(…)))`.
                let blocks = e.at(&weights).and_then(|xs| xs.path(&[Child::Operand, Child::Array]));
                Ok(hoist(weights.then(&blocks.ok_or_else(|| Stuck("nothing is packed".into()))?)))
            }
        });
        inside(weights, sized(&PACK, &[&n])).then(packed).run(state, path)
    }))
}

/// The path to the array that a level's map goes over.
fn array(e: &Expr, levels: &[Path], level: usize) -> Option<Path> {
    let map = levels.get(level)?;
    Some(map.then(&e.at(map)?.path(&[Child::Array])?))
}

/// What a level goes over that is made of one of these parameters, and of nothing that a level around changes. Where
/// the level goes over an element of what one around it goes over, that is the parameter itself: of an array that is
/// split into groups, blocks of channels are blocks of the whole.
fn source(e: &Expr, levels: &[Path], level: usize, xs: &Path, params: &BTreeSet<Local>) -> Option<Path> {
    let is_param = |e: &Expr| matches!(&*e.kind, Kind::Local(l) if params.contains(l));
    let zipped = e.at(xs)?;
    let found = roles::operands(zipped).into_iter().find_map(|operand| {
        let own = zipped.first(&|e| std::ptr::eq(e, operand))?;
        Some((operand, xs.then(&own), operand.first(&is_param)?))
    });
    if let Some((operand, path, param)) = found {
        let changes = levels[..level].iter().filter_map(|map| roles::parts(e.at(map)?));
        let changing: Vec<&Local> = changes.flat_map(|(pattern, _)| pattern.locals()).collect();
        let closed = changing.into_iter().all(|local| operand.uses(local) == 0);
        return Some(if closed { path } else { path.then(&param) });
    }
    (0..level).rev().find_map(|around| {
        let all = array(e, levels, around)?;
        let (pattern, array) = roles::parts(e.at(levels.get(around)?)?)?;
        let bound = roles::bound_to(pattern, array);
        let binds = |pattern: &Pattern| pattern.locals().into_iter().any(|local| zipped.uses(local) > 0);
        let (_, operand) = bound.into_iter().find(|(pattern, _)| binds(pattern))?;
        // Elsewhere, as among matrices of which each is a factor of its own, the outer dimension is not the level's.
        matches!(&*operand.kind, Kind::Apply(p, _) if p.name == "split").then_some(())?;
        let path = all.then(&array.first(&|e| std::ptr::eq(e, operand))?);
        let found = source(e, levels, around, &path, params)?;
        Some(found.then(&e.at(&found)?.first(&is_param)?))
    })
}

/// The parameters that are arrays of more than one dimension.
fn tables(function: &Function) -> BTreeSet<Local> {
    let all = function.params.iter().filter(|p| p.ty.shape().0.len() > 1);
    all.map(|p| p.local.clone()).collect()
}
