//! The order of nested sums: terms that are neighbours in memory one after the other, as channels are where they come last. Then
//! what is read moves on by one element, and whether a window's element lies in padding is asked once for all of its channels.

use super::neighbours::step;
use super::nest::{at_level, at_reduction, constants, levels, reduction};
use super::roles::Roles;
use super::windows::{element, is_reduction};
use crate::check::Typed;
use crate::expr::{Child, Expr, Function, Kind, Local};
use crate::nat::{Nat, Var};
use crate::origin::{Origin, Origins, Source};
use crate::rules::REDUCE_INTERCHANGE;
use crate::strategy::{Strategy, Stuck, in_function, inside, rule, seq};

/// Makes the sum over terms that are neighbours in an array the innermost, if those of the innermost are neighbours in none; or any
/// that has several terms, if the innermost has one. Weights that stay the same do not count: they can be rearranged once.
pub fn neighbours_last() -> Strategy {
    Strategy::new(|state, path| {
        let none = || Stuck::Because("terms that are neighbours follow each other, or none are".into());
        let (e, typed) = state.at(path).zip(state.typed()).ok_or_else(none)?;
        let sums = Sums::of(e, typed, &Origins::new(&state.function, typed)).ok_or_else(none)?;
        let weights = constants(&state.function);
        let beside = |sum: &Sum| {
            let others = sums.reads.iter().filter(|read| !weights.contains(&read.of));
            others.filter(|read| step(&read.at, &sum.index).as_constant() == Some(1)).count() > 0
        };
        let (last, outer) = sums.sums.split_last().ok_or_else(none)?;
        let several = |sum: &Sum| sum.terms.as_constant() != Some(1);
        let found = match several(last) {
            true => outer.iter().rposition(|sum| several(sum) && beside(sum)).filter(|_| !beside(last)),
            false => outer.iter().rposition(several),
        };
        innermost(found.ok_or_else(none)?, &sums).run(state, path)
    })
}

/// Makes one of the sums of a nest the innermost.
fn innermost(sum: usize, sums: &Sums) -> Strategy {
    let levels = sums.levels;
    let swap = |depth: usize| {
        let sum = inside(vec![Child::Step; depth], rule(&REDUCE_INTERCHANGE));
        at_level(levels - 1, in_function(at_reduction(sum)))
    };
    seq((sum..sums.sums.len() - 1).map(swap))
}

/// Terms that lie far apart in an array, as channels do where they come first.
pub struct Apart {
    /// The parameter whose elements they are.
    pub of: Local,
    /// The dimension of it that they go over.
    pub dimension: usize,
    /// How many there are of them.
    pub length: Nat,
    /// Makes the sum over them the innermost.
    pub innermost: Strategy,
}

/// The terms that lie furthest apart in what is no weight, if there are several and no others are its rows: windows go over parts of
/// rows only.
pub fn apart(nest: &Expr, roles: &Roles, function: &Function, typed: &Typed) -> Option<Apart> {
    let sums = Sums::of(nest, typed, &Origins::new(function, typed))?;
    // Weights are the same for all positions.
    let paths = levels(nest);
    let positions = roles.positions.iter().chain(&roles.groups);
    let positions: Vec<Var> = positions.filter_map(|level| element(nest.at(paths.get(*level)?)?)).collect();
    let moves = |read: &&Read| positions.iter().any(|position| step(&read.at, position) != Nat::constant(0));
    sums.reads.iter().filter(moves).find_map(|read| {
        let param = function.params.iter().find(|param| param.local == read.of)?;
        let lengths = param.ty.shape().0;
        let over = |dimension: usize| {
            let by = lengths[dimension + 1..].iter().fold(Nat::constant(1), |all, n| &all * *n);
            let all = |sum: &Sum| sum.terms == *lengths[dimension] && step(&read.at, &sum.index) == by;
            sums.sums.iter().position(all)
        };
        let several = |dimension: &usize| lengths[*dimension].as_constant() != Some(1);
        let last = lengths.len().checked_sub(1).filter(|last| over(*last).is_none())?;
        let dimension = (0..last).filter(several).find(|dimension| over(*dimension).is_some())?;
        let (of, length) = (read.of.clone(), lengths[dimension].clone());
        Some(Apart { of, dimension, length, innermost: innermost(over(dimension)?, &sums) })
    })
}

/// Does the innermost sum go over the second dimension of these weights, as over the channels of `[K][C][KH][KW]`?
pub fn go_over_second(nest: &Expr, weights: &Local, function: &Function, typed: &Typed) -> bool {
    let lengths = function.params.iter().find(|p| p.local == *weights).map(|p| p.ty.shape().0);
    let Some([_, _, rest @ ..]) = lengths.as_deref() else { return false };
    let sums = Sums::of(nest, typed, &Origins::new(function, typed));
    let Some(sums) = sums.filter(|_| !rest.is_empty()) else { return false };
    let row = rest.iter().fold(Nat::constant(1), |all, length| &all * *length);
    let mut reads = sums.reads.iter().filter(|read| read.of == *weights);
    sums.sums.last().is_some_and(|last| reads.any(|read| step(&read.at, &last.index) == row))
}

/// Nested sums inside maps, and what their terms are made of.
struct Sums {
    levels: usize,
    /// Outermost first.
    sums: Vec<Sum>,
    reads: Vec<Read>,
}

struct Sum {
    index: Var,
    terms: Nat,
}

/// A scalar of a parameter.
struct Read {
    of: Local,
    at: Nat,
}

impl Sums {
    fn of<'a>(nest: &'a Expr, typed: &Typed, origins: &Origins<'a>) -> Option<Sums> {
        let paths = levels(nest);
        let body = nest.at(paths.last()?)?.child(Child::Function)?;
        let mut sum = body.at(&reduction(body)?)?;
        let mut sums = vec![];
        while let Some(index) = is_reduction(sum).then(|| element(sum)).flatten() {
            let terms = typed.ty(sum.child(Child::Array)?.id)?.as_array()?.1.clone();
            sums.push(Sum { index, terms });
            sum = sum.child(Child::Step)?;
        }
        let mut reads = vec![];
        sum.visit(&mut |e| {
            let Kind::Local(_) = &*e.kind else { return };
            let found = origins.of(e, &[]).unwrap_or_default();
            reads.extend(found.iter().filter_map(|origin| Read::of(origin, origins)));
        });
        Some(Sums { levels: paths.len(), sums, reads })
    }
}

impl Read {
    fn of(origin: &Origin, origins: &Origins<'_>) -> Option<Read> {
        match &origin.of {
            Source::Local(of) => Some(Read { of: of.clone(), at: origins.of_parameter(origin)? }),
            Source::Node(_) => None,
        }
    }
}
