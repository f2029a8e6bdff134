//! Several arrays, or several parts of one, put together.

use super::moved::Run;
use crate::OperatorError;
use crate::build::{Draft, binary, call, int, is_length, within};
use lift::Program;
use lift_core::syntax::{Binary, Expr};
use lift_core::types::Scalar;

/// Arrays `x0`, `x1`, … one after the other along an axis. Their lengths along it are the sizes `A0`, `A1`, …
///
/// # Errors
/// An axis that there is not, and no arrays.
pub fn concat(scalar: Scalar, rank: usize, axis: usize, count: usize) -> Result<Program, OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator: "concat", axis, rank });
    }
    if count == 0 {
        return Err(OperatorError::numbers("concat", "there is nothing to put together"));
    }
    let mut draft = Draft::new("concat");
    let lengths = draft.dimensions_but(rank, axis);
    let arrays: Vec<Expr> = (0..count)
        .map(|k| {
            let mut lengths = lengths.clone();
            lengths.insert(axis, draft.size(&format!("A{k}")));
            draft.param(&format!("x{k}"), scalar, &lengths)
        })
        .collect();
    // The axis comes first while they are put together: so each array is copied by a kernel of its own, whose work-items share
    // all of its elements. A map around a concatenation would leave all that is inside to one work-item.
    let turned = |x: Expr, d: usize| within(d, x, &|rows| call("transpose", vec![rows]));
    let first = |x: Expr| (0..axis).rev().fold(x, &turned);
    let whole = together(arrays.into_iter().map(first).collect());
    draft.program((0..axis).fold(whole, turned))
}

/// Arrays one after the other.
fn together(mut arrays: Vec<Expr>) -> Expr {
    match arrays.len() {
        1 => arrays.remove(0),
        _ => call("concat", arrays),
    }
}

/// An array so many times along each of its dimensions.
///
/// # Errors
/// A number that is 0.
pub fn tile(scalar: Scalar, times: &[usize]) -> Result<Program, OperatorError> {
    if times.contains(&0) {
        return Err(OperatorError::numbers("tile", "nothing is left of an array 0 times"));
    }
    let mut draft = Draft::new("tile");
    let lengths = draft.dimensions(times.len());
    let mut x = draft.param("x", scalar, &lengths);
    for (d, n) in times.iter().enumerate().filter(|(_, n)| **n > 1) {
        x = within(d, x, &|xs| call("join", vec![call("repeat", vec![int(*n), xs])]));
    }
    draft.program(x)
}

/// Of so many parts a program may be put together: each is an expression and a kernel, and a thousand take seconds to compile.
const MOST: usize = 4096;

/// The elements with these indices along an axis, whose length may be anything that has them.
///
/// Indices at equal distances are taken together; of others each is a part by itself, which costs time in proportion to
/// their number wherever the result is read.
///
/// # Errors
/// An axis that there is not; no indices, or more than 4096 parts.
pub fn gather(scalar: Scalar, rank: usize, axis: usize, indices: &[usize]) -> Result<Program, OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator: "gather", axis, rank });
    }
    let Some(last) = indices.iter().max().filter(|last| is_length(**last as u64)) else {
        return Err(OperatorError::numbers("gather", "there are no indices, or some that no array has"));
    };
    let runs = runs(indices);
    if runs.len() > MOST {
        let reason = format!(
            "the indices are {} parts at different distances, and at most {MOST} are possible",
            runs.len()
        );
        return Err(OperatorError::numbers("gather", reason));
    }
    let mut draft = Draft::new("gather");
    let lengths = draft.dimensions(rank);
    draft.demand(binary(Binary::Gt, lengths[axis].clone(), int(*last)));
    let x = draft.param("x", scalar, &lengths);
    draft.program(within(axis, x, &|xs| together(runs.iter().map(|run| run.of(xs.clone())).collect())))
}

/// The indices in order, as few runs as a greedy search finds.
fn runs(indices: &[usize]) -> Vec<Run> {
    let (mut runs, mut rest) = (vec![], indices);
    while let [first, others @ ..] = rest {
        let distance = others.first().map(|second| (first.abs_diff(*second), second < first));
        let count = match distance {
            // The same index again is a run of its own.
            None | Some((0, _)) => 1,
            Some(distance) => {
                let alike = |pair: &&[usize]| (pair[0].abs_diff(pair[1]), pair[1] < pair[0]) == distance;
                1 + rest.windows(2).take_while(alike).count()
            }
        };
        // Two indices that no third goes on with may each be the start or end of others.
        let count = if count == 2 && rest.len() > 2 { 1 } else { count };
        let (taken, left) = rest.split_at(count);
        let (step, backwards) = distance.filter(|_| count > 1).unwrap_or((1, false));
        runs.push(Run { least: taken.iter().fold(*first, |a, b| a.min(*b)), step, count, backwards });
        rest = left;
    }
    runs
}
