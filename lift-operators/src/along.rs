//! From functions of rows to functions along any axis, or over several.

use crate::OperatorError;
use crate::build::{Draft, call, dimension};
use crate::layout::permuted;
use lift::Program;
use lift_core::syntax::Expr;
use lift_core::types::{Scalar, Type};

/// A program of a row, its first parameter, applied to every row that lies along this axis of an array.
///
/// Its other parameters are the same for all rows. Where the program makes one number of a row, the axis is gone from
/// the result; where it makes a row, this lies along the axis. The dimensions of the array have the sizes `D0`, `D1`, …
///
/// ```
/// use lift::prelude::*;
/// use lift_operators::{along, rows};
///
/// let sums = along(rows::sum::program(), 2, 0)?;
/// assert_eq!(sums.result().to_string(), "[f32; D1]");
/// let xs = array![[1.0f32, 2.0], [3.0, 4.0]];
/// let columns = lift::run(&sums, &Device::cpu(), &[], &[(&xs).into()])?.remove(0);
/// assert_eq!(columns.into_array::<f32>()?, array![4.0, 6.0].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// An axis that there is not, and programs whose first parameter is no row, or whose result is neither a number nor a
/// row.
pub fn along(program: &Program, rank: usize, axis: usize) -> Result<Program, OperatorError> {
    spread("along", program, rank, &[axis])
}

/// A program that makes a number of a row, its first parameter, applied to all that lies along several axes together,
/// in the order of the array's elements. The axes are gone from the result.
///
/// # Errors
/// Axes that there are not, or that come twice, and none; programs whose first parameter is no row, or whose result is
/// no number.
pub fn over(program: &Program, rank: usize, axes: &[usize]) -> Result<Program, OperatorError> {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    if sorted.is_empty() || sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(OperatorError::numbers("over", format!("{axes:?} are not different axes, at least one")));
    }
    if program.result().as_scalar().is_none() {
        return Err(OperatorError::numbers(
            "over",
            format!("the result of `{}` is no number", program.name()),
        ));
    }
    spread("over", program, rank, &sorted)
}

/// For axes in order.
fn spread(
    operator: &'static str,
    program: &Program,
    rank: usize,
    axes: &[usize],
) -> Result<Program, OperatorError> {
    if let Some(axis) = axes.iter().find(|axis| **axis >= rank) {
        return Err(OperatorError::Axis { operator, axis: *axis, rank });
    }
    let row = |ty: &Type| match ty.as_array() {
        Some((Type::Scalar(scalar), _)) => Some(*scalar),
        _ => None,
    };
    let refused = |what: &str| {
        OperatorError::numbers(operator, format!("the {what} of `{}` is no row", program.name()))
    };
    let first = program.params().first().and_then(|p| Some((p.local.name.to_string(), row(&p.ty)?)));
    let (name, scalar) = first.ok_or_else(|| refused("first parameter"))?;
    let result = match program.result() {
        Type::Scalar(_) => None,
        result => Some(row(result).ok_or_else(|| refused("result"))?),
    };
    let outermost = axes.first().copied().unwrap_or(rank);
    // Dimensions between and behind the axes come to lie in front of them.
    let others: Vec<usize> = (outermost..rank).filter(|d| !axes.contains(d)).collect();
    let mut whole = program.of(&name, &flat(&name, scalar, axes)?)?;
    for d in others.iter().rev() {
        whole = whole.each(&dimension(*d), &[&name])?;
    }
    if !others.is_empty() {
        let order: Vec<usize> = others.iter().chain(axes).copied().collect();
        let moved = Program::of(&whole, &name, &placed(&name, scalar, outermost, &order)?)?;
        whole = match result {
            None => moved,
            // The axis is behind the others, and goes back to its place.
            Some(scalar) => {
                let order: Vec<usize> = std::iter::once(others.len()).chain(0..others.len()).collect();
                placed("result", scalar, 0, &order)?.of("result", &moved)?
            }
        };
    }
    for d in (0..outermost).rev() {
        whole = whole.each(&dimension(d), &[&name])?;
    }
    Ok(whole.named(program.name()))
}

/// All elements along these axes as one row.
fn flat(param: &str, scalar: Scalar, axes: &[usize]) -> Result<Program, OperatorError> {
    let mut draft = Draft::new("flat");
    let lengths: Vec<Expr> = axes.iter().map(|d| draft.size(&dimension(*d))).collect();
    let x = draft.param(param, scalar, &lengths);
    draft.program((1..axes.len()).fold(x, |x, _| call("join", vec![x])))
}

/// The dimensions from the first on in another order.
fn placed(param: &str, scalar: Scalar, first: usize, order: &[usize]) -> Result<Program, OperatorError> {
    let mut draft = Draft::new("placed");
    let lengths: Vec<Expr> = (0..order.len()).map(|d| draft.size(&dimension(first + d))).collect();
    let x = draft.param(param, scalar, &lengths);
    draft.program(permuted(x, &order.iter().map(|d| d - first).collect::<Vec<_>>()))
}
