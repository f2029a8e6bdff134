//! Loop nests: nested maps, down to the computation of one element of the result.
//!
//! In a tidy nest every map stands directly in the function of the next, and all primitives that move the
//! results stand outside. Levels are counted from the outside, beginning with 0.

use super::NOTHING_PADDED;
use crate::expr::{Argument, Child, Expr, Function, Kind, Lambda, Local, Path, Pattern};
use crate::kernel::Space;
use crate::nat::Nat;
use crate::parts::together;
use crate::primitives::{Applied, Execution, Form};
use crate::rules::{
    AS_SCALAR_AS_VECTOR, AS_VECTOR_AS_SCALAR, BETA, COPY, HOIST, JOIN_SPLIT, MAP_FISSION, MAP_GLB,
    MAP_IDENTITY, MAP_JOIN, MAP_MAP, MAP_MAP_ROWS, MAP_OF_COMPONENT, MAP_REDUCE, MAP_SEQ, PROJECT,
    REDUCE_OPERAND, REDUCE_SEQ, REDUCE_SEQ_UNROLL, Rule, SPLIT_JOIN, SPLIT_JOIN_INVERSE, SPLIT_JOIN_OVERLAP,
    TO_GLOBAL, TO_PRIVATE, TRANSPOSE_TRANSPOSE, VECTOR_MAP,
};
use crate::strategy::{
    Inside, Strategy, Stuck, any, attempt, choose, everywhere, id, in_function, in_operand, in_start,
    in_step, inside, inwards, repeat, rule, seq, sized, top_down,
};
use std::collections::BTreeSet;

/// The path from an expression through primitives that only move data to the map that computes.
pub fn spine(e: &Expr) -> Path {
    let next = match &*e.kind {
        Kind::Let(..) => e.path(&[Child::Body]),
        Kind::Apply(p, _) if p.form.is_written_through() => e.path(&[Child::Operand]),
        Kind::Apply(p, _) if matches!(p.form, Form::Concat) => bordered(e),
        _ => moved(e).and_then(|_| e.path(&[Child::Array])),
    };
    next.and_then(|step| Some(step.then(&spine(e.at(&step)?)))).unwrap_or_default()
}

/// The path from arrays one after the other to the only one that is more than copies of one value: the others are its border.
pub fn bordered(e: &Expr) -> Option<Path> {
    let is_border = |part: &Expr| matches!(&*part.kind, Kind::Apply(p, _) if matches!(p.form, Form::Repeat));
    let mut others = e.steps().into_iter().filter(|(_, _, part)| !is_border(part));
    let (_, step, _) = others.next()?;
    others.next().is_none().then_some(step)
}

/// A map that computes.
pub fn is_map(e: &Expr) -> bool {
    e.as_map().is_some() && moved(e).is_none()
}

/// The paths to the maps of a nest, from the outside in.
pub fn levels(e: &Expr) -> Vec<Path> {
    let mut found = vec![];
    let mut path = spine(e);
    while let Some(map) = e.at(&path).filter(|e| is_map(e)) {
        found.push(path.clone());
        let inner = map.path(&[Child::Function]).and_then(|step| Some(step.then(&spine(map.at(&step)?))));
        match inner {
            Some(inner) => path = path.then(&inner),
            None => break,
        }
    }
    found
}

/// Takes primitives that move data out of the functions of a nest's maps.
pub fn tidy() -> Strategy {
    let once = choose(|e| {
        for level in levels(e) {
            let Some(body) = e.at(&level).and_then(|map| map.child(Child::Function)) else { continue };
            let path = spine(body);
            // Nothing to take out, or nothing that computes behind it.
            if path.is_empty() || !body.at(&path).is_some_and(computes) || has_let(body, &path) {
                continue;
            }
            return Ok(inside(level, inwards(&MAP_FISSION, path)));
        }
        Err(Stuck::Because("the nest is tidy".into()))
    });
    repeat(once)
}

fn has_let(body: &Expr, path: &Path) -> bool {
    body.along(path).is_some_and(|stops| stops.iter().any(|stop| matches!(&*stop.e.kind, Kind::Let(..))))
}

fn computes(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Map | Form::Reduce))
}

/// At a level of the nest.
pub fn at_level(k: usize, s: Strategy) -> Strategy {
    choose(move |e| match levels(e).get(k) {
        Some(path) => Ok(inside(path.clone(), s.clone())),
        None => Err(Stuck::Because(format!("it has fewer than {} nested `map`s", k + 1).into())),
    })
}

/// At the map that computes.
pub fn at_spine(s: Strategy) -> Strategy {
    choose(move |e| Ok(inside(spine(e), s.clone())))
}

/// A level becomes two: tiles, and the elements of a tile.
pub fn tile(k: usize, n: &Nat) -> Strategy {
    at_level(k, sized(&SPLIT_JOIN, &[n])).then(tidy())
}

/// The same where tiles need not fit exactly: the last one ends where the level does.
pub fn tile_overlapping(k: usize, n: &Nat) -> Strategy {
    at_level(k, sized(&SPLIT_JOIN_OVERLAP, &[n])).then(tidy())
}

/// A level and the one inside it become one.
pub fn joined(k: usize) -> Strategy {
    at_level(k, rule(&MAP_JOIN)).then(tidy())
}

/// A level changes places with the one inside it, unless that one goes over a row whose elements take work together: they would take
/// it one by one.
pub fn interchange(k: usize) -> Strategy {
    let changed = choose(|e| {
        let inner = e.child(Child::Function).and_then(Expr::as_map);
        match inner.is_some_and(|(_, row)| together(row)) {
            true => Err(Stuck::Because("the elements of a row are computed together".into())),
            false => Ok(rule(&MAP_MAP).or(rule(&MAP_MAP_ROWS))),
        }
    });
    at_level(k, changed).then(tidy())
}

/// Removes expressions that cost nothing and hide others from rules.
pub fn simplify() -> Strategy {
    const RULES: &[&Rule] = &[
        &BETA,
        &MAP_IDENTITY,
        &MAP_OF_COMPONENT,
        &TRANSPOSE_TRANSPOSE,
        &JOIN_SPLIT,
        &AS_SCALAR_AS_VECTOR,
        &PROJECT,
    ];
    everywhere(any(RULES))
}

/// The same, with rules that need types.
pub fn simplify_typed() -> Strategy {
    const RULES: &[&Rule] = &[&AS_VECTOR_AS_SCALAR, &SPLIT_JOIN_INVERSE];
    simplify().then(everywhere(any(RULES)))
}

/// Makes the reductions side by side at a level one reduction with an array as its running value. A function of
/// the results becomes a function of the array's elements.
pub fn accumulate(k: usize) -> Strategy {
    accumulate_through(k, usize::MAX)
}

/// The same through at most this many nested reductions; the ones further inside stay in the maps.
pub fn accumulate_through(k: usize, reductions: usize) -> Strategy {
    let split = choose(|map| {
        let body =
            map.child(Child::Function).ok_or_else(|| Stuck::Because("there is no function here".into()))?;
        let path = reduction(body)
            .ok_or_else(|| Stuck::Because("there is no reduction in the innermost map".into()))?;
        Ok(if path.is_empty() { id() } else { inwards(&MAP_FISSION, path) })
    });
    at_level(k, split.then(inside_reductions(reductions)).then(attempt(rule(&PROJECT)))).then(simplify())
}

/// The path to the first reduction that is not in a function.
pub fn reduction(e: &Expr) -> Option<Path> {
    if matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Reduce)) {
        return Some(Path::default());
    }
    e.find_in_children(|name, child| if name.is_in_function() { None } else { reduction(child) })
}

/// Finds the map of reductions at hand and makes it a reduction, and the maps of reductions that
/// its step is made of, if it is.
fn inside_reductions(most: usize) -> Strategy {
    Strategy::new(move |state, path| {
        let step = top_down(rule(&MAP_REDUCE)).then(simplify());
        let mut state = step.run(state, path)?;
        for _ in 1..most {
            match step.run(&state, path) {
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
    folded(&REDUCE_SEQ)
}

/// The same, written out step by step.
pub fn unrolled() -> Strategy {
    folded(&REDUCE_SEQ_UNROLL)
}

fn folded(steps: &'static Rule) -> Strategy {
    choose(move |e| {
        let (start, step, _) = e.as_reduce().ok_or_else(no_reduction)?;
        let private = match &*start.kind {
            Kind::Local(_) => id(),
            _ => in_start(rule(&TO_PRIVATE)),
        };
        let step = if step.body.as_reduce().is_some() { folded(steps) } else { loops() };
        Ok(seq([private, in_step(step), rule(steps)]))
    })
}

/// At the innermost of this many nested reductions, after making all of them sequential.
pub fn in_loops(reductions: usize, s: Strategy) -> Strategy {
    match reductions {
        0 => id(),
        1 => s.then(rule(&REDUCE_SEQ)),
        n => in_step(in_loops(n - 1, s)).then(rule(&REDUCE_SEQ)),
    }
}

/// Nested maps as loops.
fn loops() -> Strategy {
    choose(|e| match is_map(e) {
        true => Ok(in_function(loops()).then(rule(&MAP_SEQ))),
        false => Ok(id()),
    })
}

/// Copies an array, so many neighbours at a time along the last dimension, in maps that a strategy gives their place.
pub fn copied_in_vectors(width: &Nat, placed: &Strategy) -> Strategy {
    let (width, placed) = (width.clone(), placed.clone());
    choose(move |_| {
        let rows = in_function(copied_in_vectors(&width, &placed)).then(placed.clone());
        let vectors = sized(&VECTOR_MAP, &[&width]).then(in_operand(placed.clone()));
        Ok(rule(&COPY).then(rows.or(vectors)))
    })
}

/// Binds an expression further inside by a `let` around this one.
pub fn hoist(place: impl Inside + 'static) -> Strategy {
    choose(move |e| {
        let path = place.path(e).ok_or_else(|| Stuck::Because("there is no such place".into()))?;
        Ok(inwards(&HOIST, path))
    })
}

/// For each array that a reduction goes over, a strategy that names it by `let` around the reduction,
/// given the path to it from there.
pub fn each_operand(s: impl Fn(Path) -> Strategy + 'static) -> Strategy {
    choose(move |e| {
        let arrays = operands(e).ok_or_else(no_reduction)?;
        let named = arrays.into_iter().enumerate();
        Ok(seq(named.map(|(k, path)| inside(vec![Child::Body; k], s(path)))))
    })
}

/// Where a schedule looks for a reduction that is not there.
pub fn no_reduction() -> Stuck {
    Stuck::Because("there is no reduction".into())
}

/// The paths from a map or a reduction to the arrays that it goes over: several, if they are zipped.
pub fn operands(e: &Expr) -> Option<Vec<Path>> {
    let array = e.path(&[Child::Array])?;
    let xs = e.at(&array)?;
    Some(match xs.as_zip() {
        Some(_) => xs.steps().into_iter().map(|(_, part, _)| array.then(&part)).collect(),
        None => vec![array],
    })
}

/// At the first reduction that is not in a function.
pub fn at_reduction(s: Strategy) -> Strategy {
    choose(move |e| match reduction(e) {
        Some(path) => Ok(inside(path, s.clone())),
        None => Err(no_reduction()),
    })
}

/// Writes the sums of a work-item from registers to the result: by the function that is applied to them
/// in the end, or else as they are.
pub fn written() -> Strategy {
    choose(|e| match levels(e) {
        done if done.is_empty() => Ok(inside(spine(e), rule(&TO_GLOBAL))),
        done => Ok(seq(done.into_iter().rev().map(|level| inside(level, rule(&MAP_SEQ))))),
    })
}

/// Computes all padding by kernels of its own, so that no read of the nest needs a guard.
pub fn padding_apart() -> Strategy {
    Strategy::new(|state, path| {
        let mut state = state.clone();
        let mut apart = 0;
        while let Some(padding) = state.at(path).and_then(padding) {
            state = computed_before(padding, PADDING).run(&state, path)?;
            apart += 1;
        }
        if apart == 0 { Err(Stuck::Because(NOTHING_PADDED.into())) } else { Ok(state) }
    })
}

/// The path to padding that is not in a kernel of its own.
fn padding(e: &Expr) -> Option<Path> {
    if pads(e) {
        return Some(Path::default());
    }
    if matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Kept(Space::Global))) {
        return None;
    }
    e.find_in_children(|_, child| padding(child))
}

const PADDING: &str =
    "the padding depends on a value that is computed in a function, and can't be done before it";

/// Computes an expression into global memory before everything else. If it depends on the parameter of a
/// function around it, it is computed for all arguments of that function; `reason` says why it is not, where it can't be.
pub fn computed_before(path: Path, reason: &'static str) -> Strategy {
    Strategy::new(move |state, at| {
        let hoisted = if path.is_empty() { id() } else { inwards(&HOIST, path.clone()) };
        let kept = inside(path.clone(), rule(&TO_GLOBAL)).then(hoisted).run(state, at);
        // Only functions that it depends on matter: it is the same for all elements of the others.
        let around = |e: &Expr| {
            let computed = e.at(&path)?;
            e.along(&path)?
                .into_iter()
                .rev()
                .find(|stop| steps_into(stop.e, stop.child) && is_changed(computed, stop.e))
                .map(|stop| (stop.path, stop.further))
        };
        match (kept, state.at(at).and_then(around)) {
            (Ok(next), _) => Ok(next),
            (Err(_), None) => Err(Stuck::Because(reason.into())),
            (Err(_), Some((function, further))) => taken_out(function, further, reason).run(state, at),
        }
    })
}

/// Is this child of a map or a reduction its function?
fn steps_into(e: &Expr, child: Child) -> bool {
    child.is_in_function() && (e.as_map().is_some() || e.as_reduce().is_some())
}

/// Does it depend on what this map or reduction goes over?
fn is_changed(e: &Expr, by: &Expr) -> bool {
    let function = by.as_map().map(|(f, _)| f).or_else(|| by.as_reduce().map(|(_, f, _)| f));
    function.is_some_and(|f| f.params.iter().flat_map(Pattern::locals).any(|local| e.uses(local) > 0))
}

/// Makes an array of the expression `further` inside the function of the map or reduction at this place, which
/// goes over that array as well: so it is computed before.
fn taken_out(place: Path, further: Path, reason: &'static str) -> Strategy {
    let rules = inwards(&MAP_FISSION, further.clone()).or(inwards(&REDUCE_OPERAND, further));
    inside(place.clone(), rules.because(reason)).then(choose(move |e| {
        let new = e.at(&place).and_then(last_array).ok_or_else(|| Stuck::Because(reason.into()))?;
        Ok(computed_before(place.then(&new), reason))
    }))
}

/// The path from a map or a reduction to its array; to the last of several zipped arrays.
pub fn last_array(e: &Expr) -> Option<Path> {
    operands(e)?.pop()
}

fn pads(e: &Expr) -> bool {
    match (&*e.kind, e.as_map()) {
        (_, Some((f, _))) => pads(&f.body),
        (Kind::Apply(p, _), None) => matches!(p.form, Form::Pad),
        (_, None) => false,
    }
}

/// The arrays that are the same from call to call, and have more than one dimension.
pub fn constants(function: &Function) -> BTreeSet<Local> {
    let all = function.params.iter().filter(|p| p.constant);
    all.filter(|p| p.ty.shape().0.len() > 1).map(|p| p.local.clone()).collect()
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
