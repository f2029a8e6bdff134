//! Loop nests: nested maps, down to the computation of one element of the result.
//!
//! In a tidy nest every map stands directly in the function of the next, and all primitives that move the
//! results stand outside. Levels are counted from the outside, beginning with 0.

use super::NOTHING_PADDED;
use crate::expr::{Argument, Expr, Function, Kind, Lambda, Local, Pattern};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::primitives::{Applied, Execution, Form};
use crate::rules::{
    AS_SCALAR_AS_VECTOR, AS_VECTOR_AS_SCALAR, BETA, HOIST, JOIN_SPLIT, MAP_FISSION, MAP_FUSION, MAP_GLB,
    MAP_IDENTITY, MAP_MAP, MAP_MAP_ROWS, MAP_OF_COMPONENT, MAP_REDUCE, MAP_SEQ, PACK, PROJECT, REDUCE_JOIN,
    REDUCE_MAP_FUSION, REDUCE_NESTED, REDUCE_OPERAND, REDUCE_SEQ, SPLIT_JOIN, SPLIT_JOIN_INVERSE, START,
    TO_GLOBAL, TO_PRIVATE, TRANSPOSE_TRANSPOSE, TUPLE_FUSION,
};
use crate::strategy::{
    Strategy, Stuck, Way, attempt, choose, everywhere, id, inside, inwards, repeat, rule, seq, sized,
    top_down,
};
use std::collections::BTreeSet;

/// The way from an expression through primitives that only move data to the map that computes.
pub fn spine(e: &Expr) -> Way {
    let mut way = vec![];
    let mut at = e;
    loop {
        let next = match &*at.kind {
            Kind::Let(_, _, body) => Some((1, body)),
            Kind::Apply(p, _) if p.form.is_written_through() || moved(at).is_some() => last(at),
            _ => None,
        };
        match next {
            Some((k, child)) => {
                way.push(k);
                at = child;
            }
            None => return way,
        }
    }
}

fn last(e: &Expr) -> Option<(usize, &Expr)> {
    let children = e.children();
    Some((children.len() - 1, *children.last()?))
}

/// A map that computes.
pub fn is_map(e: &Expr) -> bool {
    e.as_map().is_some() && moved(e).is_none()
}

/// The ways to the maps of a nest, from the outside in.
pub fn levels(e: &Expr) -> Vec<Way> {
    let mut found = vec![];
    let mut way: Way = vec![];
    let mut at = e;
    loop {
        let further = spine(at);
        let Some(next) = at.at(&further) else { return found };
        way.extend(further);
        if !is_map(next) {
            return found;
        }
        found.push(way.clone());
        way.push(0);
        at = match next.at(&[0]) {
            Some(body) => body,
            None => return found,
        };
    }
}

/// Takes primitives that move data out of the functions of a nest's maps.
pub fn tidy() -> Strategy {
    let once = choose(|e| {
        for level in levels(e) {
            let Some(body) = e.at(&level).and_then(|map| map.at(&[0])) else { continue };
            let way = spine(body);
            // Nothing to take out, or nothing that computes behind it.
            if way.is_empty() || !body.at(&way).is_some_and(computes) || has_let(body, &way) {
                continue;
            }
            return Ok(inside(&level, inwards(&MAP_FISSION, way)));
        }
        Err(Stuck("the nest is tidy".into()))
    });
    repeat(once)
}

fn has_let(body: &Expr, way: &[usize]) -> bool {
    (0..way.len()).any(|n| body.at(&way[..n]).is_some_and(|e| matches!(&*e.kind, Kind::Let(..))))
}

fn computes(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Map | Form::Reduce))
}

/// At a level of the nest.
pub fn at_level(k: usize, s: Strategy) -> Strategy {
    choose(move |e| match levels(e).get(k) {
        Some(way) => Ok(inside(way, s.clone())),
        None => Err(Stuck(format!("it has no {} `map`s in each other", k + 1))),
    })
}

/// A level becomes two: tiles, and the elements of a tile.
pub fn tile(k: usize, n: &Nat) -> Strategy {
    at_level(k, sized(&SPLIT_JOIN, &[n])).then(tidy())
}

/// A level changes places with the one inside it.
pub fn interchange(k: usize) -> Strategy {
    at_level(k, rule(&MAP_MAP).or(rule(&MAP_MAP_ROWS))).then(tidy())
}

/// Removes expressions that cost nothing and hide others from rules.
pub fn simplify() -> Strategy {
    let rules = [
        &BETA,
        &MAP_IDENTITY,
        &MAP_OF_COMPONENT,
        &TRANSPOSE_TRANSPOSE,
        &JOIN_SPLIT,
        &AS_SCALAR_AS_VECTOR,
        &PROJECT,
    ];
    everywhere(rules.into_iter().map(rule).reduce(Strategy::or).unwrap_or_else(id))
}

/// The same, with rules that need types.
pub fn simplify_typed() -> Strategy {
    simplify().then(everywhere(rule(&AS_VECTOR_AS_SCALAR).or(rule(&SPLIT_JOIN_INVERSE))))
}

/// Makes the reductions side by side at a level one reduction with an array as its running value. A function of
/// the results becomes a function of the array's elements.
pub fn accumulate(k: usize) -> Strategy {
    accumulate_through(k, usize::MAX)
}

/// The same through at most this many nested reductions; the ones further inside stay in the maps.
pub fn accumulate_through(k: usize, reductions: usize) -> Strategy {
    let split = choose(|map| {
        let body = map.at(&[0]).ok_or_else(|| Stuck("no function".into()))?;
        let way =
            reduction(body).ok_or_else(|| Stuck("there is no reduction in the innermost map".into()))?;
        Ok(if way.is_empty() { id() } else { inwards(&MAP_FISSION, way) })
    });
    at_level(k, split.then(inside_reductions(reductions)).then(attempt(rule(&PROJECT)))).then(simplify())
}

/// The way to the first reduction that is not in a function.
pub fn reduction(e: &Expr) -> Option<Way> {
    let Kind::Apply(p, arguments) = &*e.kind else {
        return e.children().into_iter().enumerate().find_map(|(k, child)| below(k, child));
    };
    if matches!(p.form, Form::Reduce) {
        return Some(vec![]);
    }
    let inside = arguments.iter().filter(|a| a.expr().is_some()).enumerate();
    inside.into_iter().find_map(|(k, argument)| match argument {
        Argument::Value(value) => below(k, value),
        _ => None,
    })
}

fn below(k: usize, child: &Expr) -> Option<Way> {
    Some([vec![k], reduction(child)?].concat())
}

/// Finds the map of reductions at hand and makes it a reduction, and the maps of reductions that
/// its step is made of, if it is.
fn inside_reductions(most: usize) -> Strategy {
    Strategy::new(move |state, way| {
        let step = top_down(rule(&MAP_REDUCE)).then(simplify());
        let mut state = step.run(state, way)?;
        for _ in 1..most {
            match step.run(&state, way) {
                Ok(next) => state = next,
                Err(_) => break,
            }
        }
        Ok(state)
    })
}

/// Gives the outer levels of a nest their places: dimension 0 to the innermost of them.
pub fn global(levels: usize) -> Strategy {
    seq((0..levels).rev().map(|k| at_level(k, sized(&MAP_GLB, &[&Nat::from(levels - 1 - k)]))))
}

/// A reduction in one work-item, its running value in registers.
pub fn sequential() -> Strategy {
    choose(|e| {
        let [start, step, _] = e.children()[..] else { return Err(Stuck("no reduction".into())) };
        let private = match &*start.kind {
            Kind::Local(_) => id(),
            _ => inside(&[0], rule(&TO_PRIVATE)),
        };
        let step = if step.as_reduce().is_some() { sequential() } else { loops() };
        Ok(seq([private, inside(&[1], step), rule(&REDUCE_SEQ)]))
    })
}

/// Nested maps as loops.
fn loops() -> Strategy {
    choose(|e| match is_map(e) {
        true => Ok(inside(&[0], loops()).then(rule(&MAP_SEQ))),
        false => Ok(id()),
    })
}

/// For each array that a reduction goes over, a strategy that names it by `let` around the reduction,
/// given the way to it from there.
pub fn each_operand(s: impl Fn(Way) -> Strategy + 'static) -> Strategy {
    choose(move |e| {
        let ways = operands(e).ok_or_else(|| Stuck("there is no reduction".into()))?;
        Ok(seq(ways.into_iter().enumerate().map(|(k, way)| inside(&vec![1; k], s(way)))))
    })
}

/// The ways from a reduction to the arrays that it goes over.
pub fn operands(reduction: &Expr) -> Option<Vec<Way>> {
    let xs = reduction.at(&[2])?;
    Some(match xs.as_zip() {
        Some(arrays) => (0..arrays.len()).map(|k| vec![2, k]).collect(),
        None => vec![vec![2]],
    })
}

/// At the first reduction that is not in a function.
pub fn at_reduction(s: Strategy) -> Strategy {
    choose(move |e| match reduction(e) {
        Some(way) => Ok(inside(&way, s.clone())),
        None => Err(Stuck("there is no reduction".into())),
    })
}

/// Writes the sums of a work-item from registers to the result: by the function that is applied to them
/// in the end, or else as they are.
pub fn written() -> Strategy {
    choose(|e| match levels(e) {
        done if done.is_empty() => Ok(inside(&spine(e), rule(&TO_GLOBAL))),
        done => Ok(seq(done.iter().rev().map(|level| inside(level, rule(&MAP_SEQ))))),
    })
}

/// Computes all padding by kernels of its own, so that no read of the nest needs a guard.
pub fn padding_apart() -> Strategy {
    Strategy::new(|state, way| {
        let mut state = state.clone();
        let mut apart = 0;
        while let Some(padding) = state.at(way).and_then(padding) {
            state = computed_before(padding).run(&state, way)?;
            apart += 1;
        }
        if apart == 0 { Err(Stuck(NOTHING_PADDED.into())) } else { Ok(state) }
    })
}

/// The way to padding that is not in a kernel of its own.
fn padding(e: &Expr) -> Option<Way> {
    if pads(e) {
        return Some(vec![]);
    }
    if matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Global))) {
        return None;
    }
    let children = e.children().into_iter().enumerate();
    children.into_iter().find_map(|(k, child)| Some([vec![k], padding(child)?].concat()))
}

/// Computes an expression into global memory before everything else. If it depends on the parameter of a
/// function around it, it is computed for all arguments of that function.
fn computed_before(way: Way) -> Strategy {
    Strategy::new(move |state, at| {
        let hoist = if way.is_empty() { id() } else { inwards(&HOIST, way.clone()) };
        let kept = inside(&way, rule(&TO_GLOBAL)).then(hoist).run(state, at);
        let around = |e: &Expr| {
            (0..way.len()).rev().find(|k| e.at(&way[..*k]).is_some_and(|f| steps_into(f, way[*k])))
        };
        match (kept, state.at(at).and_then(around)) {
            (Ok(next), _) => Ok(next),
            (Err(_), None) => Err(Stuck("what is padded can't be computed before the nest".into())),
            (Err(_), Some(k)) => {
                let (outside, further) = (way[..k].to_vec(), way[k + 1..].to_vec());
                taken_out(&outside, further).run(state, at)
            }
        }
    })
}

/// Is this child of a map or a reduction its function?
fn steps_into(e: &Expr, child: usize) -> bool {
    (e.as_map().is_some() && child == 0) || (e.as_reduce().is_some() && child == 1)
}

/// Makes an array of the expression `further` inside the function of the map or reduction at this place, which
/// goes over that array as well: so it is computed before.
fn taken_out(place: &[usize], further: Way) -> Strategy {
    let place = place.to_vec();
    let rules = inwards(&MAP_FISSION, further.clone()).or(inwards(&REDUCE_OPERAND, further));
    let reason = "padding depends on what is computed in a function, and can't be done before it";
    inside(&place, rules.because(reason)).then(choose(move |e| {
        let new = e.at(&place).and_then(last_array).ok_or_else(|| Stuck(reason.into()))?;
        Ok(computed_before([&place[..], &new].concat()))
    }))
}

/// The way from a map or a reduction to its array; to the last of several zipped arrays.
pub fn last_array(e: &Expr) -> Option<Way> {
    let (at, xs) = last(e)?;
    Some(match xs.as_zip() {
        Some(arrays) => vec![at, arrays.len() - 1],
        None => vec![at],
    })
}

fn pads(e: &Expr) -> bool {
    match (&*e.kind, e.as_map()) {
        (_, Some((f, _))) => pads(&f.body),
        (Kind::Apply(p, _), None) => matches!(p.form, Form::Pad),
        (_, None) => false,
    }
}

/// The first expression, from the outside in, of this kind.
pub fn first(e: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> Option<Way> {
    if wanted(e) {
        return Some(vec![]);
    }
    let children = e.children().into_iter().enumerate();
    children.into_iter().find_map(|(k, child)| Some([vec![k], first(child, wanted)?].concat()))
}

/// Another order in memory for the constant arrays that a level goes over: blocks of `n` of their
/// outer dimension, which becomes the inner one.
pub fn pack(level: usize, n: &Nat) -> Strategy {
    let n = n.clone();
    Strategy::new(move |state, way| {
        let constants: BTreeSet<_> = constants(&state.function);
        let stuck = || {
            Stuck(match constants.is_empty() {
                true => "weights are packed once if they are a `const` parameter, and there is none".into(),
                false => {
                    "only weights that a `map` goes over as a whole are packed, not parts of them".to_string()
                }
            })
        };
        let e = state.at(way).ok_or_else(stuck)?;
        let map = levels(e).get(level).cloned().ok_or_else(stuck)?;
        let xs = [map, vec![1]].concat();
        let is_constant = |e: &Expr| matches!(&*e.kind, Kind::Local(l) if constants.contains(l));
        let further = first(e.at(&xs).ok_or_else(stuck)?, &is_constant).ok_or_else(stuck)?;
        let at = [xs, further].concat();
        let kept = [at.clone(), vec![0, 1]].concat();
        inside(&at, sized(&PACK, &[&n])).then(inwards(&HOIST, kept)).run(state, way)
    })
}

/// The arrays that are the same from call to call.
pub fn constants(function: &Function) -> BTreeSet<Local> {
    let all = function.params.iter().filter(|p| p.constant && p.ty.shape().0.len() > 1);
    all.map(|p| p.local.clone()).collect()
}

/// Prepares a nest as schedules want it: reductions in order, loop by loop, and primitives that move data outside.
pub fn prepared() -> Strategy {
    seq([
        simplify(),
        everywhere(rule(&MAP_FUSION).or(rule(&REDUCE_MAP_FUSION)).or(rule(&TUPLE_FUSION)).or(rule(&BETA))),
        everywhere(rule(&REDUCE_NESTED).or(rule(&START))),
        everywhere(rule(&REDUCE_JOIN)),
        simplify(),
        tidy(),
    ])
}

/// The array of a `map` whose function only moves data: to write the result is to write that array, each
/// element where the function would move it.
fn moved(e: &Expr) -> Option<&Expr> {
    let Kind::Apply(p, arguments) = &*e.kind else { return None };
    let in_order = matches!(p.form.execution(), Execution::Open | Execution::Sequential(_));
    let [Argument::Function(Lambda { params, body, .. }), Argument::Value(xs)] = &arguments[..] else {
        return None;
    };
    let [Pattern::Local(param)] = &params[..] else { return None };
    (p.form.applied() == Applied::Elements && in_order && moves(body, param)).then_some(xs)
}

/// Is this a variable, moved by primitives that can be written through?
fn moves(e: &Expr, param: &Local) -> bool {
    match &*e.kind {
        Kind::Local(local) => local == param,
        Kind::Apply(p, arguments) if p.form.only_moves() => {
            matches!(arguments.last(), Some(Argument::Value(v)) if moves(v, param))
        }
        _ => moved(e).is_some_and(|xs| moves(xs, param)),
    }
}
