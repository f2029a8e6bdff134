//! Known numbers that an array is multiplied with, and others that are added then.
//!
//! Several such nodes in turn are one: `(x · a + b) · c + d` is `x · (a · c) + (b · c + d)`. Models that come from Caffe have a
//! normalisation and what it is scaled by and moved by as three nodes.

use super::network::Network;
use crate::layout::broadcast;
use crate::recipe::{Array, Recipe, Step};
use crate::tensor::{Elements, Tensor};
use lift::Program;
use lift_operators::scalar;
use ndarray::{IxDyn, Zip};
use std::collections::{HashMap, HashSet};

/// What an array is multiplied with, then what is added. Each goes together with the array's shape, without making it larger.
#[derive(Clone, Debug)]
pub(super) struct Affine {
    x: usize,
    scale: Option<Elements<f32>>,
    shift: Option<Elements<f32>>,
}

impl Affine {
    /// What a program of numbers does with these operands, if it is a product or a sum and all but one of them are known. `shape` is
    /// the result's.
    pub(super) fn of(
        program: &Program,
        operands: &[usize],
        arrays: &[Array],
        shape: &[usize],
    ) -> Option<Affine> {
        let known = |at: usize| match &arrays[*operands.get(at)?].constant {
            Some(Tensor::F32(elements)) => Some(elements.clone()),
            _ => None,
        };
        let is = |other: &Program| std::ptr::eq(program, other);
        let (x, scale, shift) = if is(scalar::affine::program()) {
            (0, Some(known(1)?), Some(known(2)?))
        } else if is(scalar::sub::program()) {
            (0, None, Some(known(1)?.mapv(|number| -number).into_shared()))
        } else {
            let (x, other) = known(1).map(|other| (0, other)).or_else(|| Some((1, known(0)?)))?;
            match () {
                () if is(scalar::mul::program()) => (x, Some(other), None),
                () if is(scalar::add::program()) => (x, None, Some(other)),
                () => return None,
            }
        };
        let x = *operands.get(x)?;
        (arrays[x].constant.is_none() && arrays[x].shape == shape).then_some(Affine { x, scale, shift })
    }

    /// This one, then another one of its result. None where the numbers would be more than those of the larger one, or not finite.
    fn then(&self, next: &Affine) -> Option<Affine> {
        let scale = combined(&self.scale, &next.scale, |a, b| a * b)?;
        let shift = match &next.scale {
            Some(_) if self.shift.is_some() => combined(&self.shift, &next.scale, |a, b| a * b)?,
            _ => self.shift.clone(),
        };
        let shift = combined(&shift, &next.shift, |a, b| a + b)?;
        Some(Affine { x: self.x, scale, shift })
    }

    /// As a program, with the numbers as its further arguments.
    fn step(&self, network: &mut Network, old: &Step) -> Option<Step> {
        let shape = network.shape(self.x).to_vec();
        let program = match (&self.scale, &self.shift) {
            (Some(_), Some(_)) => scalar::affine::program(),
            (Some(_), None) => scalar::mul::program(),
            (None, _) => scalar::add::program(),
        };
        let (mut arguments, mut uses) = (vec![self.x], vec![vec![true; shape.len()]]);
        for elements in [&self.scale, &self.shift].into_iter().flatten() {
            let skipped = shape.len() - elements.ndim();
            let used = |d: &usize| *d >= skipped && elements.shape()[d - skipped] == shape[*d];
            let row: Vec<bool> = (0..shape.len()).map(|d| used(&d)).collect();
            let kept: Vec<usize> = (0..shape.len()).filter(used).map(|d| shape[d]).collect();
            let elements = elements.clone().into_shape_with_order(IxDyn(&kept)).ok()?;
            arguments.push(network.numbers(&old.name, elements));
            uses.push(row);
        }
        let program = network.lifted(program, shape.len(), &uses).ok()?;
        Some(Step { program, arguments, ..old.clone() })
    }
}

/// Two arrays that are repeated to go together, combined; one alone as it is.
fn combined(
    a: &Option<Elements<f32>>,
    b: &Option<Elements<f32>>,
    combine: impl Fn(f64, f64) -> f64,
) -> Option<Option<Elements<f32>>> {
    let (Some(a), Some(b)) = (a, b) else { return Some(a.clone().or_else(|| b.clone())) };
    let shape = broadcast([a.shape(), b.shape()])?;
    if shape.iter().product::<usize>() > a.len().max(b.len()) {
        return None;
    }
    let (a, b) = (a.broadcast(IxDyn(&shape))?, b.broadcast(IxDyn(&shape))?);
    let result = Zip::from(&a).and(&b).map_collect(|a, b| combine(f64::from(*a), f64::from(*b)) as f32);
    result.iter().all(|number| number.is_finite()).then(|| Some(result.into_shared()))
}

/// Puts steps together that multiply and add known numbers one after the other, where nobody else reads what is between them.
pub(super) fn join(network: &mut Network) {
    let Recipe { steps, outputs, .. } = &mut network.recipe;
    let steps = std::mem::take(steps);
    let mut readers: HashMap<usize, usize> = HashMap::new();
    let read = steps.iter().flat_map(|step| &step.arguments).chain(outputs.iter().map(|(_, array)| array));
    read.for_each(|array| *readers.entry(*array).or_default() += 1);
    // What each result is by what was joined so far, and the arrays between.
    let (mut joined, mut between) = (HashMap::new(), HashSet::new());
    for step in &steps {
        let [result] = step.results[..] else { continue };
        let Some(next) = network.affines.get(&result) else { continue };
        let first = joined.get(&next.x).or_else(|| network.affines.get(&next.x));
        let alone = readers.get(&next.x) == Some(&1);
        if let Some(whole) = first.filter(|_| alone).and_then(|first| first.then(next)) {
            between.insert(next.x);
            joined.insert(result, whole);
        }
    }
    // From the last: where one can't be built, those before it stay.
    let mut rest = vec![];
    for old in steps.into_iter().rev() {
        let result = old.results.first();
        if result.is_some_and(|result| between.contains(result)) {
            continue;
        }
        let whole = result.and_then(|result| joined.get(result));
        match whole.map(|affine| affine.step(network, &old)) {
            Some(Some(step)) => rest.push(step),
            Some(None) => {
                old.arguments.iter().for_each(|array| _ = between.remove(array));
                rest.push(old);
            }
            None => rest.push(old),
        }
    }
    rest.reverse();
    network.recipe.steps = rest;
}
