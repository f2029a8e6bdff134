//! A program as schedules want it: what is computed for a result stands in one function, reductions are in order, loop by
//! loop, and primitives that move data stand outside.

use super::neighbours::in_order;
use super::nest::{is_map, simplify, spine, tidy};
use crate::expr::{Child, Expr, Path};
use crate::parts::computes_anything;
use crate::rules::{
    BETA, COMPONENTS, DOT_SUM, MAP_FUSION, MAP_ROWS, REDUCE_JOIN, REDUCE_MAP, REDUCE_MAP_FUSION,
    REDUCE_NESTED, Rule, START, TUPLE_FUSION, ZIP_FUSION, ZIP_ONCE,
};
use crate::strategy::{Strategy, Stuck, choose, everywhere, id, inside, inwards, rule, seq};

/// Prepares a nest as schedules want it.
pub fn prepared() -> Strategy {
    seq([
        simplify(),
        everywhere(rule(&DOT_SUM).or(rule(&REDUCE_MAP))),
        simplify(),
        fused(),
        everywhere(rule(&REDUCE_NESTED).or(rule(&START))),
        everywhere(rule(&REDUCE_JOIN)),
        simplify(),
        tidy(),
    ])
}

/// Has what maps compute of each other computed in one function.
pub fn fused() -> Strategy {
    let rules: [&'static Rule; 7] =
        [&COMPONENTS, &MAP_FUSION, &ZIP_FUSION, &ZIP_ONCE, &REDUCE_MAP_FUSION, &TUPLE_FUSION, &BETA];
    everywhere(met().or(rules.into_iter().map(rule).reduce(Strategy::or).unwrap_or_else(id)))
}

/// Of a map over what other maps compute and primitives then move: takes out of its way what they move, so that it can be
/// fused with those maps.
fn met() -> Strategy {
    choose(|e| {
        let operands = operands(e).unwrap_or_default();
        let moved = operands.into_iter().find(|path| e.at(path).is_some_and(is_moved));
        let path = moved.ok_or_else(|| Stuck("nothing that is computed is moved before this".into()))?;
        Ok(inwards(&MAP_ROWS, path.clone()).or(inside(path, in_its_order())))
    })
}

/// Has maps compute a result in the order in which it is read, where they can.
fn in_its_order() -> Strategy {
    let done = choose(|e| match is_map(e) {
        true => Ok(id()),
        false => Err(Stuck("the order of the result is not that of its loops".into())),
    });
    seq([tidy(), in_order(), everywhere(rule(&MAP_FUSION)), simplify(), done])
}

/// The paths from a map to the arrays that it goes over, zipped once or in turn.
fn operands(e: &Expr) -> Option<Vec<Path>> {
    e.as_map()?;
    let array = e.path(&[Child::Array])?;
    Some(zipped(e.at(&array)?).into_iter().map(|path| array.then(&path)).collect())
}

fn zipped(e: &Expr) -> Vec<Path> {
    if e.as_zip().is_none() {
        return vec![Path::default()];
    }
    let parts = e.steps().into_iter();
    parts.flat_map(|(_, step, part)| zipped(part).into_iter().map(move |path| step.then(&path))).collect()
}

/// Is this what maps compute, moved?
fn is_moved(e: &Expr) -> bool {
    let path = spine(e);
    !path.is_empty() && e.at(&path).is_some_and(|e| is_map(e) && computes_anything(e))
}
