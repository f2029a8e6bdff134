//! Zeros between elements, as in a transposed convolution: results are computed phase by phase, and the terms that are
//! zeros in a phase are left out.

use super::nest::{at_level, at_reduction, interchange, levels, no_reduction, reduction, tidy, tile};
use crate::check::Typed;
use crate::expr::{Child, Expr, Function, Kind, Path, Pattern};
use crate::nat::{Maker, Nat, Var};
use crate::origin::{Origins, Zeros};
use crate::rules::{MAP_PHASES, REDUCE_INTERCHANGE, counting};
use crate::strategy::{Strategy, Stuck, choose, in_function, in_step, inwards, repeat, rule, seq};

/// The most phases that are looked for: more zeros between two elements than that are rare.
const MOST: i64 = 8;

/// Makes levels of phases around a nest, one for each level and sum where all but one in `n` terms are zeros.
pub fn phases() -> Strategy {
    repeat(Strategy::new(|state, path| {
        let none = || Stuck::Because("no terms are zeros".into());
        let (e, typed) = state.at(path).zip(state.typed()).ok_or_else(none)?;
        let found = sparse(e, typed, &state.function).ok_or_else(none)?;
        found.apart(levels(e).len()).run(state, path)
    }))
}

/// A level and a sum: term `j` of element `i` is 0 unless `(i + j) % n` is a certain number.
#[derive(Clone, Copy)]
struct Sparse {
    level: usize,
    /// How many sums are around this one.
    depth: usize,
    n: i64,
}

impl Sparse {
    /// The strategy for a nest with so many levels.
    fn apart(self, levels: usize) -> Strategy {
        let Sparse { level, depth, n } = self;
        let counted = choose(|e| {
            let sums = e.child(Child::Function).and_then(reduction).ok_or_else(no_reduction)?;
            Ok(inwards(&MAP_PHASES, sums))
        });
        // One sum after the other becomes the outermost, and goes back to its place.
        let exchanged = |depth: usize| in_function(at_reduction(at_depth(depth, rule(&REDUCE_INTERCHANGE))));
        let phase = seq((0..depth).rev().map(exchanged).chain([counted]).chain((0..depth).map(exchanged)));
        seq([
            tile(level, &Nat::constant(n)),
            seq((level + 1..levels).map(interchange)),
            at_level(levels, phase),
            tidy(),
            seq((0..levels).rev().map(interchange)),
        ])
    }
}

/// At the sum inside so many others.
fn at_depth(depth: usize, s: Strategy) -> Strategy {
    (0..depth).fold(s, |s, _| in_step(s))
}

/// The first level and sum whose terms are zeros but for one in `n`.
fn sparse(e: &Expr, typed: &Typed, function: &Function) -> Option<Sparse> {
    let origins = Origins::new(function, typed);
    let maps = levels(e);
    let of_level = |path: &Path| Origins::element(e.at(path)?.as_map()?.0.params.first()?);
    let innermost = e.at(maps.last()?)?.child(Child::Function)?;
    let mut sum = innermost.at(&reduction(innermost)?)?;
    let mut depths = vec![];
    let step = loop {
        let (_, step, _) = sum.as_reduce()?;
        depths.push(step.params.get(1)?);
        match step.body.as_reduce() {
            Some(_) => sum = &step.body,
            None => break step,
        }
    };
    let padding = padding(&step.body, depths.last()?, &origins);
    // Phases have as many results each. Of others the zeros stay.
    let whole = |path: &Path, n: i64| {
        let length = e.at(path).and_then(|map| typed.ty(map.as_map()?.1.id)?.as_array());
        length.is_some_and(|(_, length)| length.rem(&Nat::constant(n)) == Nat::constant(0))
    };
    let nonlinear = |var: &Var| padding.iter().any(|zeros| zeros.index.linear_in(var).is_none());
    for (level, of_level) in maps.iter().map(of_level).enumerate() {
        let Some(result) = of_level.filter(nonlinear) else { continue };
        for (depth, pattern) in depths.iter().enumerate() {
            let Some(term) = Origins::element(pattern).filter(nonlinear) else { continue };
            let fits = |n: &i64| whole(&maps[level], *n) && is_sparse([&result, &term], *n, &padding);
            if let Some(n) = (2..=MOST).find(fits) {
                return Some(Sparse { level, depth, n });
            }
        }
    }
    None
}

/// The padding of what a term reads.
fn padding(term: &Expr, pattern: &Pattern, origins: &Origins) -> Vec<Zeros> {
    let read = pattern.locals();
    let mut found = vec![];
    let all = term.paths();
    for e in all.iter().filter_map(|path| term.at(path)) {
        if matches!(&*e.kind, Kind::Local(local) if read.contains(&local)) {
            found.extend(origins.zeros(e, &[]).unwrap_or_default());
        }
    }
    found
}

/// Is every term but one in `n` of a result zero?
fn is_sparse(variables: [&Var; 2], n: i64, padding: &[Zeros]) -> bool {
    let value = |v: &Var, i: i64, j: i64| {
        let k = variables.iter().position(|variable| *variable == v)?;
        let row = Nat::var(&Var::made(Maker::Comparison, "row", k as u32));
        Some(row * Nat::constant(n) + [i, j][k])
    };
    counting(padding, n, &value).is_some()
}
