//! How the work-items of a group share the terms of reductions. They take them in rounds: neighbouring work-items have
//! neighbouring terms. Each reduces its own, and what all of them find is put together from local memory (GPGPU'20
//! §4.2.2).

use super::loops::Loops;
use super::nest::{
    at_level, at_spine, interchange, is_map, last_array, no_reduction, reduction, sequential, simplify,
    spine, tidy,
};
use crate::expr::Child::{Array, Function};
use crate::expr::{Expr, Kind, Path};
use crate::nat::Nat;
use crate::rules::{
    BEST, MAP_FISSION, MAP_JOIN, MAP_LCL, MAP_REDUCE, MAP_WRG, REDUCE_FISSION, REDUCE_FLATTEN,
    REDUCE_INTERCHANGE, REDUCE_ROUND_UP, REDUCE_SEQ, REDUCE_SPLIT, TO_LOCAL, VECTOR_ACCUMULATOR,
};
use crate::strategy::{
    Strategy, attempt, choose, id, in_array, in_function, in_step, in_value, inside, inwards, repeat, rule,
    seq, sized,
};

/// The number of nested maps around reductions that are in no other function.
pub(super) fn maps_around(e: &Expr) -> Option<usize> {
    let reduces = parts(e).into_iter().any(|part| !reductions(part).is_empty());
    if reduces { Some(0) } else { maps_over_rows(e) }
}

/// The same where there is a map at least: each of its elements takes a row to compute.
pub(super) fn maps_over_rows(e: &Expr) -> Option<usize> {
    let map = e.at(&spine(e)).filter(|map| is_map(map) && !has_lets(e))?;
    Some(1 + maps_around(map.child(Function)?)?)
}

/// The values that the `let`s of a body bind, and the expression behind them.
pub(super) fn parts(e: &Expr) -> Vec<&Expr> {
    match &*e.kind {
        Kind::Let(_, value, body) => [vec![value], parts(body)].concat(),
        _ => vec![e],
    }
}

/// Does it begin with a `let`?
pub(super) fn has_lets(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Let(..))
}

/// The paths to the reductions that are in no function.
pub(super) fn reductions(e: &Expr) -> Vec<Path> {
    if reduction(e).is_some_and(|path| path.is_empty()) {
        return vec![Path::default()];
    }
    let children = e.steps().into_iter().filter(|(name, ..)| !name.is_in_function());
    children
        .flat_map(|(_, step, child)| reductions(child).into_iter().map(move |path| step.then(&path)))
        .collect()
}

/// The path to the first array of results that one of these reductions goes over, and that nothing keeps in memory.
pub(super) fn array_to_keep(e: &Expr) -> Option<Path> {
    reductions(e).into_iter().find_map(|sum| {
        let array = sum.then(&e.at(&sum)?.path(&[Array])?);
        e.at(&array).is_some_and(is_map).then_some(array)
    })
}

/// At every reduction that is in no function.
pub(super) fn each_reduction(s: Strategy) -> Strategy {
    choose(move |e| Ok(seq(reductions(e).into_iter().map(|path| inside(path, s.clone())))))
}

/// What is done where numbers do not divide.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Rest {
    /// They have to.
    None,
    /// Work-items without terms have the identity element.
    Terms,
    /// That, and the last group may have fewer results than others.
    Results,
}

/// Cuts a reduction, whose terms may be taken in any order.
pub(super) fn cut(s: Strategy) -> Strategy {
    let why = "only a reduction that adds, multiplies, takes the minimum or maximum, or finds the best element by `<` or `>` \
               can be shared among work-items";
    let any_order = repeat(rule(&REDUCE_FLATTEN)).then(attempt(rule(&BEST)));
    any_order.then(s.because(why))
}

/// What may be necessary before a strategy that needs a number of terms that `n` divides.
pub(super) fn rounded(n: &Nat, round_up: bool) -> Strategy {
    if round_up { sized(&REDUCE_ROUND_UP, &[n]) } else { id() }
}

/// A reduction of what so many work-items find, each in its own terms.
pub(super) fn in_rounds(items: &Nat, round_up: bool) -> Strategy {
    cut(rounded(items, round_up).then(sized(&REDUCE_SPLIT, &[items])).then(apart()))
}

/// Of a reduction of rounds, in each of which every work-item has its own terms: what they find.
fn apart() -> Strategy {
    rule(&REDUCE_INTERCHANGE).then(rule(&REDUCE_FISSION))
}

/// Neighbouring terms that a work-item adds to as many sums, side by side.
#[derive(Clone)]
pub(super) struct Sides {
    /// The width of their vectors.
    pub width: Nat,
    /// How many vectors.
    pub vectors: Nat,
}

impl Sides {
    /// The terms of a work-item in a round.
    pub fn terms(&self) -> Nat {
        &self.width * &self.vectors
    }

    /// As [`in_rounds`], with so many neighbouring terms for each work-item.
    pub fn in_rounds(&self, items: &Nat) -> Strategy {
        let own = in_step(sized(&REDUCE_SPLIT, &[&self.terms()]));
        cut(seq([sized(&REDUCE_SPLIT, &[&(items * &self.terms())]), own, apart()]))
    }

    /// A reduction of a work-item's rounds, of several terms each: the sums in registers, and then their sum.
    pub fn side_by_side(&self) -> Strategy {
        let sums = rule(&MAP_REDUCE).then(simplify());
        // Where vectors compute what is done with a term.
        let vectors = attempt(sized(&VECTOR_ACCUMULATOR, &[&self.width]));
        // Of vectors of tuples the sums are named: each of their parts is scalars by itself.
        let folded = choose(|e| match &*e.kind {
            Kind::Let(..) => Ok(in_value(at_spine(sequential()))),
            _ => Ok(at_spine(sequential())),
        });
        seq([apart(), in_array(seq([sums, vectors, folded])), rule(&REDUCE_SEQ)])
    }
}

/// A map whose elements the work-items of a group take.
pub(super) fn among_items() -> Strategy {
    sized(&MAP_LCL, &[&Nat::from(0)])
}

/// A map of reductions: each work-item of a group goes through its own terms, one after the other.
pub(super) fn of_own_terms() -> Strategy {
    in_function(each_reduction(rule(&REDUCE_SEQ))).then(among_items())
}

/// A group takes neighbouring results of this many maps, and its work-items share the terms of their reductions.
pub(super) fn shared(maps: usize, items: &Nat, beside: &Nat, rest: Rest) -> Strategy {
    let mut loops = Loops::new(maps);
    if rest == Rest::Results {
        loops.round_up(maps - 1, beside);
    }
    loops.tile(maps - 1, beside, "beside");
    loops.at_most(2);
    loops.step(at_level(1, in_function(each_reduction(in_rounds(items, rest != Rest::None)))));
    loops.step(at_level(1, lanes()));
    loops.step(at_level(1, of_own_terms()));
    loops.step(at_level(0, sized(&MAP_WRG, &[&Nat::from(0)])));
    loops.strategy()
}

/// What the work-items that share results find is kept in local memory: neighbours have neighbouring results.
fn lanes() -> Strategy {
    choose(|map| {
        let body = map.child(Function).ok_or_else(no_reduction)?;
        let Some(found) = array_to_keep(body) else { return Ok(id()) };
        let own = choose(|map| Ok(inside(last_array(map).ok_or_else(no_reduction)?, own())));
        Ok(inwards(&MAP_FISSION, found).then(own).then(lanes()))
    })
}

/// What each work-item finds for each of these results, in its own terms.
fn own() -> Strategy {
    seq([
        interchange(0),
        at_level(0, rule(&MAP_JOIN)).then(tidy()),
        at_level(0, of_own_terms()),
        at_spine(rule(&TO_LOCAL)),
    ])
}
