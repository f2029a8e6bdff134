//! The roles of a nest's levels for the reduction inside, found from dependences.

use super::INNERMOST;
use super::nest::{joined, levels, reduction};
use crate::expr::{Argument, Child, Expr, Kind, Local, Pattern};
use crate::strategy::{Strategy, Stuck, seq};
use std::collections::{BTreeMap, BTreeSet};

/// The levels of a nest around a reduction over pairs, one of an array that is read for many
/// positions (the weights of a convolution, a factor of a matrix product), the other its partner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roles {
    /// The number of levels.
    pub levels: usize,
    /// Only the weights depend on these: output channels, columns of a product.
    pub channels: Vec<usize>,
    /// Only what they are multiplied with depends on these: rows and columns of a picture, batches.
    pub positions: Vec<usize>,
    /// The number of nested reductions.
    pub reductions: usize,
    /// Both do: groups, the channels of a depthwise convolution.
    pub groups: Vec<usize>,
}

impl Roles {
    /// The innermost level of channels.
    pub fn channel(&self) -> Result<usize, Stuck> {
        let none = "no `map` goes over its weights alone, as over a convolution's output channels or a product's columns";
        self.channels.last().copied().ok_or_else(|| Stuck::Because(format!("{none} {WEIGHTS}").into()))
    }

    /// The tile of results that a work-item computes with vectors. Vectors lie across channels, where a weight
    /// that was loaded once serves many positions. If there are no channels, or if `along` asks for it, they
    /// lie along the innermost level, whose elements are neighbours in the result.
    pub fn tile(&self, along: bool) -> Result<Tile, Stuck> {
        let innermost = self.levels - 1;
        let across = self.channels.last().copied().unwrap_or(innermost);
        let all = |lanes: usize| (0..self.levels).filter(|level| *level != lanes).collect();
        match along {
            true if across == innermost => Err(Stuck::Because(INNERMOST.into())),
            true => Ok(Tile { lanes: innermost, around: all(innermost) }),
            false if self.channels.is_empty() => Ok(Tile { lanes: across, around: all(across) }),
            false => Ok(Tile { lanes: across, around: self.positions.clone() }),
        }
    }

    /// The positions that follow each other down to the innermost of them as one level: the strategy that joins them, and the
    /// roles of the nest that it leaves.
    pub fn merged(&self) -> Result<(Strategy, Roles), Stuck> {
        let last = self.position()?;
        let first = (0..last).rev().take_while(|level| self.positions.contains(level)).last();
        let first = first.ok_or_else(|| Stuck::Because(ONE_POSITION.into()))?;
        let strategy = seq((first..last).map(|_| joined(first)));
        let gone = last - first;
        let left = |levels: &[usize]| {
            let stay = levels.iter().filter(|level| !(first..last).contains(level));
            stay.map(|level| if *level < last { *level } else { level - gone }).collect()
        };
        let roles = Roles {
            levels: self.levels - gone,
            channels: left(&self.channels),
            positions: left(&self.positions),
            groups: left(&self.groups),
            reductions: self.reductions,
        };
        Ok((strategy, roles))
    }

    /// The innermost level of positions.
    pub fn position(&self) -> Result<usize, Stuck> {
        let none = "no `map` goes only over what its weights are multiplied with, as over a convolution's positions or a \
                    product's rows";
        self.positions.last().copied().ok_or_else(|| Stuck::Because(format!("{none} {WEIGHTS}").into()))
    }
}

/// The levels that the tile of a work-item extends over.
pub struct Tile {
    /// The level that vectors lie along.
    pub lanes: usize,
    /// Others that a tile may have several elements of, outermost first.
    pub around: Vec<usize>,
}

const ONE_POSITION: &str = "no two levels of positions follow each other";
const WEIGHTS: &str = "(weights are the factor that is `const`, or else the last one)";

/// The roles of a tidy nest's levels, where there is a reduction inside.
pub fn roles(e: &Expr, constants: &BTreeSet<Local>) -> Option<Roles> {
    let paths = levels(e);
    // Which levels, and which parameters, a variable depends on.
    let mut known: BTreeMap<Local, Dependence> =
        constants.iter().map(|l| (l.clone(), Dependence::constant())).collect();
    bound(e, &mut known);
    for (k, path) in paths.iter().enumerate() {
        let map = e.at(path)?;
        let (pattern, xs) = parts(map)?;
        let mut found = depends(xs, &known);
        found.levels.insert(k);
        bind(pattern, xs, &found, &mut known, k);
    }
    let body = e.at(paths.last()?)?.child(Child::Function)?;
    let fold = body.at(&reduction(body)?)?;
    let Kind::Apply(_, arguments) = &*fold.kind else { return None };
    let [_, Argument::Function(_), Argument::Value(rs)] = &arguments[..] else { return None };
    let all = operands(rs).into_iter().map(|array| depends(array, &known)).collect::<Vec<_>>();
    // With a single array nothing is shared: levels are that array's own.
    if all.len() < 2 {
        let groups = (0..paths.len()).collect();
        return Some(Roles { levels: paths.len(), reductions: nested(fold), groups, ..Roles::default() });
    }
    // The weights are the array that does not change between calls, else the last array.
    let at = all.iter().position(|d| d.constant).unwrap_or(all.len().saturating_sub(1));
    let weights = &all.get(at)?.levels;
    let others: BTreeSet<usize> = all
        .iter()
        .enumerate()
        .filter(|(i, _)| *i != at)
        .flat_map(|(_, d)| d.levels.iter().copied())
        .collect();
    let mut roles = Roles { levels: paths.len(), reductions: nested(fold), ..Roles::default() };
    for k in 0..paths.len() {
        match (weights.contains(&k), others.contains(&k)) {
            (true, false) => roles.channels.push(k),
            (true, true) => roles.groups.push(k),
            _ => roles.positions.push(k),
        }
    }
    Some(roles)
}

#[derive(Clone, Default)]
struct Dependence {
    levels: BTreeSet<usize>,
    /// A parameter that keeps its value from call to call.
    constant: bool,
    /// What each component depends on, of a tuple whose components are known one by one.
    components: Vec<Dependence>,
}

impl Dependence {
    fn constant() -> Dependence {
        Dependence { constant: true, ..Dependence::default() }
    }
}

/// The arrays of a `zip`, through what takes both apart alike.
pub(super) fn operands(e: &Expr) -> Vec<&Expr> {
    match e.as_zip() {
        Some(arrays) => arrays.into_iter().flat_map(operands).collect(),
        None => vec![e],
    }
}

/// The pattern of a map's function and the array that it goes over.
pub(super) fn parts(map: &Expr) -> Option<(&Pattern, &Expr)> {
    let Kind::Apply(_, arguments) = &*map.kind else { return None };
    match &arguments[..] {
        [Argument::Function(f), Argument::Value(xs)] => Some((f.params.first()?, xs)),
        _ => None,
    }
}

/// The variables bound by `let` around the nest.
fn bound(e: &Expr, known: &mut BTreeMap<Local, Dependence>) {
    if let Kind::Let(pattern, value, body) = &*e.kind {
        let found = depends(value, known);
        for local in pattern.locals() {
            known.insert(local.clone(), found.clone());
        }
        bound(body, known);
    }
}

/// The variables of a pattern depend on whatever their arrays depend on, each array of a `zip` by itself.
fn bind(
    pattern: &Pattern,
    xs: &Expr,
    all: &Dependence,
    known: &mut BTreeMap<Local, Dependence>,
    level: usize,
) {
    for (pattern, array) in bound_to(pattern, xs) {
        let mut found = if std::ptr::eq(array, xs) { all.clone() } else { depends(array, known) };
        found.levels.insert(level);
        let components = array.as_zip().unwrap_or_default().into_iter().map(|part| depends(part, known));
        found.components = components.collect();
        found.components.iter_mut().for_each(|part| part.levels.extend([level]));
        for local in pattern.locals() {
            known.insert(local.clone(), found.clone());
        }
    }
}

/// What the variables of a pattern are elements of: each array of a `zip` by itself, if the pattern takes it apart.
pub(super) fn bound_to<'a>(pattern: &'a Pattern, xs: &'a Expr) -> Vec<(&'a Pattern, &'a Expr)> {
    match (pattern, xs.as_zip()) {
        (Pattern::Tuple(patterns), Some(arrays)) if patterns.len() == arrays.len() => {
            patterns.iter().zip(arrays).flat_map(|(pattern, xs)| bound_to(pattern, xs)).collect()
        }
        _ => vec![(pattern, xs)],
    }
}

fn depends(e: &Expr, known: &BTreeMap<Local, Dependence>) -> Dependence {
    let mut found = Dependence::default();
    depends_on(e, known, &mut found);
    found
}

/// Adds what an expression depends on. A component of a tuple does not depend on what the others do.
fn depends_on(e: &Expr, known: &BTreeMap<Local, Dependence>, found: &mut Dependence) {
    let of = |e: &Expr| if let Kind::Local(local) = &*e.kind { known.get(local) } else { None };
    let component = |tuple: &Expr, k: usize| of(tuple).and_then(|all| all.components.get(k));
    let other = if let Kind::Field(tuple, k) = &*e.kind { component(tuple, *k) } else { of(e) };
    match other {
        Some(other) => {
            found.levels.extend(other.levels.iter().copied());
            found.constant |= other.constant;
        }
        None => e.children().into_iter().for_each(|child| depends_on(child, known, found)),
    }
}

/// How many reductions, each the step of the one around it.
fn nested(e: &Expr) -> usize {
    e.as_reduce().map_or(0, |(_, step, _)| 1 + nested(&step.body))
}
