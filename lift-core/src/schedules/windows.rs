//! Finds the sum of a nest that goes over windows sliding with a level, by the origins of its elements.

use super::nest::{at_level, at_reduction, levels, reduction};
use crate::expr::{Argument, Child, Expr, Kind, Pattern};
use crate::nat::{Nat, Var};
use crate::origin::{Access, Origins};
use crate::primitives::Form;
use crate::rules::{REDUCE_INTERCHANGE, REDUCE_SPLIT};
use crate::strategy::{Strategy, Stuck, in_function, inside, rule, seq, sized};

/// Makes the sums over windows that slide with a level the innermost ones. Of the other sums, one that does not
/// depend on positions is split into blocks of this many terms, and goes before them.
pub fn windows_last(level: usize, terms: &Nat) -> Strategy {
    let terms = terms.clone();
    Strategy::new(move |state, path| {
        let nest = state.at(path).ok_or_else(no_windows)?;
        let typed = state.typed().ok_or_else(no_windows)?;
        let sums = Sums::of(nest, &Origins::new(&state.function, typed), level).ok_or_else(no_windows)?;
        let others: Vec<usize> = (0..sums.all).filter(|k| *k != sums.windows).collect();
        let alone = others.iter().rev().find(|k| sums.alone[**k]).or(others.last());
        let term = *alone.ok_or_else(|| Stuck::Because("the sums go over windows only".into()))?;
        let windows = if term < sums.windows { sums.windows - 1 } else { sums.windows };
        let swap = |depth: usize, rule| at_depth(sums.levels - 1, depth, rule);
        let last = sums.all - 1;
        seq([
            seq((term..last).map(|depth| swap(depth, rule(&REDUCE_INTERCHANGE)))),
            seq((windows..last).map(|depth| swap(depth, rule(&REDUCE_INTERCHANGE)))),
            swap(last - 1, sized(&REDUCE_SPLIT, &[&terms])),
        ])
        .run(state, path)
    })
}

fn at_depth(level: usize, depth: usize, s: Strategy) -> Strategy {
    at_level(level, in_function(at_reduction(inside(vec![Child::Step; depth], s))))
}

fn no_windows() -> Stuck {
    Stuck::Because("no sum goes over windows of neighbouring positions".into())
}

/// The nested sums inside a nest.
struct Sums {
    levels: usize,
    all: usize,
    /// The one over windows that slide with the level.
    windows: usize,
    /// For each sum: is it over elements that depend on no level?
    alone: Vec<bool>,
}

impl Sums {
    fn of<'a>(nest: &'a Expr, origins: &Origins<'a>, level: usize) -> Option<Sums> {
        let paths = levels(nest);
        let maps: Vec<&Expr> = paths.iter().filter_map(|path| nest.at(path)).collect();
        let counted: Vec<Option<Var>> = maps.iter().map(|map| element(map)).collect();
        let body = maps.last()?.child(Child::Function)?;
        let mut sum = body.at(&reduction(body)?)?;
        let (mut all, mut operand) = (vec![], None);
        while let Some(var) = is_reduction(sum).then(|| element(sum)).flatten() {
            operand = sum.child(Child::Array);
            all.push(var);
            let Some(step) = sum.child(Child::Step) else { break };
            sum = step;
        }
        let innermost = Access::Element(Nat::var(all.last()?));
        // Where each part of the summed pairs comes from: an index in each dimension.
        let mut indices: Vec<Nat> = vec![];
        for k in 0..2 {
            let found = origins.of(operand?, &[innermost.clone(), Access::Part(k)])?;
            indices.extend(found.into_iter().flat_map(|origin| origin.path).filter_map(
                |access| match access {
                    Access::Element(i) => Some(i),
                    Access::Part(_) => None,
                },
            ));
        }
        let together = |a: &Var, b: &Var| indices.iter().any(|i| i.contains(a) && i.contains(b));
        let slides = counted.get(level)?.as_ref()?;
        Some(Sums {
            levels: paths.len(),
            windows: all.iter().position(|sum| together(sum, slides))?,
            alone: all.iter().map(|sum| !counted.iter().flatten().any(|map| together(sum, map))).collect(),
            all: all.len(),
        })
    }
}

pub(super) fn is_reduction(e: &Expr) -> bool {
    matches!(&*e.kind, Kind::Apply(p, _) if matches!(p.form, Form::Reduce))
}

/// The index variable of a map's or a reduction's element.
pub(super) fn element(e: &Expr) -> Option<Var> {
    let Kind::Apply(_, arguments) = &*e.kind else { return None };
    let function = arguments.iter().find_map(|argument| match argument {
        Argument::Function(f) => f.params.last(),
        _ => None,
    });
    function.and_then(|pattern: &Pattern| Origins::element(pattern))
}
