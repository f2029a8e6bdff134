//! A program as schedules want it: what is computed for a result stands in one function, reductions are in order, loop by
//! loop, and primitives that move data stand outside.

use super::neighbours::in_order;
use super::nest::{interchange, is_map, simplify, spine, tidy};
use crate::expr::{Child, Expr, Kind, Path};
use crate::parts::computes_anything;
use crate::rules::{
    BETA, COMPONENTS, DOT_SUM, LET_OUT, MAP_FISSION, MAP_FUSION, MAP_ROWS, MAP_SPLIT, REDUCE_JOIN,
    REDUCE_MAP, REDUCE_MAP_FUSION, REDUCE_NESTED, Rule, START, TUPLE_FUSION, ZIP_FUSION, ZIP_ONCE,
};
use crate::strategy::{Strategy, Stuck, any, choose, everywhere, id, in_array, inside, inwards, rule, seq};

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
    // What is only moved there and back is out of the way first.
    seq([everywhere(fusion()), simplify(), everywhere(met().or(fusion()))])
}

/// One step of that.
fn fusion() -> Strategy {
    const RULES: &[&Rule] = &[
        &COMPONENTS,
        &LET_OUT,
        &MAP_SPLIT,
        &MAP_FUSION,
        &ZIP_FUSION,
        &ZIP_ONCE,
        &REDUCE_MAP_FUSION,
        &TUPLE_FUSION,
        &BETA,
    ];
    any(RULES).or(moved_later())
}

/// Of a map over pieces of what is computed, whose function moves what it computes of a piece: moves that later, so that the map
/// meets what computes the pieces.
fn moved_later() -> Strategy {
    choose(|e| {
        let none = || Stuck::Because("nothing that is computed of pieces is moved".into());
        let (f, pieces) = e.as_map().ok_or_else(none)?;
        let path = spine(&f.body);
        let meets = is_split(pieces) && is_moved(pieces);
        if !meets || path.is_empty() || !f.body.at(&path).is_some_and(is_map) {
            return Err(none());
        }
        Ok(inwards(&MAP_FISSION, path).then(in_array(rule(&MAP_SPLIT))))
    })
}

fn is_split(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if p.name == "split")
}

/// Of a map over what other maps compute and primitives then move: takes out of its way what they move, so that it can be
/// fused with those maps.
fn met() -> Strategy {
    choose(|e| {
        let none = || Stuck::Because("nothing that is computed is moved before this".into());
        // A function that only moves has nothing to be computed with.
        let meets = e.as_map().is_some_and(|(f, _)| computes_anything(&f.body));
        let operands = operands(e).filter(|_| meets).unwrap_or_default();
        let path = operands.into_iter().find(|path| e.at(path).is_some_and(is_moved)).ok_or_else(none)?;
        let turned = inside(path.clone(), in_its_order()).or(in_the_order_of(path.clone()));
        Ok(inwards(&MAP_ROWS, path).or(turned))
    })
}

/// Has maps compute a result in the order in which it is read, where they can.
fn in_its_order() -> Strategy {
    let done = choose(|e| match is_map(e) {
        true => Ok(id()),
        false => Err(Stuck::Because("the order of the result is not that of its loops".into())),
    });
    seq([tidy(), in_order(), everywhere(rule(&MAP_FUSION)), simplify(), done])
}

/// Has a map read what is at this path in the order in which that is computed, where that order can't be changed: the elements of
/// a row of prefix sums, or of a row that is divided by its sum, are computed together. What the map moves is its result.
fn in_the_order_of(operand: Path) -> Strategy {
    choose(move |e| {
        let none = || Stuck::Because("what is read is not only transposed".into());
        let depths = e.at(&operand).and_then(|moved| transposed(moved, 0)).ok_or_else(none)?;
        let before = computed(e);
        let fewer = choose(move |e| match e.at(&spine(e)).is_some_and(|map| computed(map) < before) {
            true => Ok(id()),
            false => Err(Stuck::Because(
                "it is still read in another order than that in which it is computed".into(),
            )),
        });
        let turned = depths.into_iter().map(interchange);
        Ok(seq(turned.chain([everywhere(fusion()), simplify(), everywhere(fusion()), fewer])))
    })
}

/// How many of the arrays that a map goes over are computed by others.
fn computed(map: &Expr) -> usize {
    let operands = operands(map).unwrap_or_default();
    operands.iter().filter(|path| map.at(path).is_some_and(computes_anything)).count()
}

/// How many maps are around each of the transpositions, the last one first, that are between what maps compute and this;
/// `None` if it is moved by anything else.
fn transposed(e: &Expr, around: usize) -> Option<Vec<usize>> {
    if is_map(e) {
        return Some(vec![]);
    }
    let (last, before) = match (&*e.kind, e.as_map()) {
        (Kind::Local(_), _) => return Some(vec![]),
        (_, Some((f, xs))) => (transposed(&f.body, around + 1)?, xs),
        (Kind::Apply(p, _), None) if p.name == "transpose" => (vec![around], e.child(Child::Operand)?),
        _ => return None,
    };
    Some([last, transposed(before, around)?].concat())
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
