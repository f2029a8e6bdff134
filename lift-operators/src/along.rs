//! From functions of rows to functions along any axis.

use crate::OperatorError;
use crate::build::dimension;
use crate::layout::permute_sizes;
use lift::Program;
use lift_core::types::Type;

/// A program of a row, its first parameter, applied to every row that lies along this axis of an array.
///
/// Its other parameters are the same for all rows. Where the program makes one number of a row, the axis is gone from the
/// result; where it makes a row, this lies along the axis. The other dimensions of the array have the sizes `D0`, `D1`, …
/// without the number of the axis, whose size has the program's own name.
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
/// An axis that there is not, and programs whose first parameter is no row, or whose result is neither a number nor a row.
pub fn along(program: &Program, rank: usize, axis: usize) -> Result<Program, OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator: "along", axis, rank });
    }
    let refused =
        |what: &str| OperatorError::numbers("along", format!("{what} of `{}` is no row", program.name()));
    let Some(row) = program.params().first() else { return Err(refused("the first parameter")) };
    let (Some((Type::Scalar(scalar), length)), name) = (row.ty.as_array(), row.local.name.to_string()) else {
        return Err(refused("the first parameter"));
    };
    let gives_row = match program.result() {
        Type::Scalar(_) => None,
        result => match result.as_array() {
            Some((Type::Scalar(scalar), _)) => Some(*scalar),
            _ => return Err(refused("the result")),
        },
    };
    let (scalar, length) = (*scalar, length.to_string());
    let inner = rank - 1 - axis;
    let mut whole = program.clone();
    for d in (axis + 1..rank).rev() {
        whole = whole.each(&dimension(d), &[&name])?;
    }
    if inner > 0 {
        // The axis becomes the innermost dimension, and the outermost again.
        let sizes: Vec<String> = std::iter::once(length).chain((axis + 1..rank).map(dimension)).collect();
        let order: Vec<usize> = (1..=inner).chain([0]).collect();
        whole = whole.of(&name, &permute_sizes(scalar, &name, &sizes, &order)?)?;
        if let Some(scalar) = gives_row {
            let order: Vec<usize> = std::iter::once(inner).chain(0..inner).collect();
            let sizes: Vec<String> = (0..=inner).map(|d| format!("R{d}")).collect();
            whole = permute_sizes(scalar, "x", &sizes, &order)?.of("x", &whole)?.named(program.name());
        }
    }
    for d in (0..axis).rev() {
        whole = whole.each(&dimension(d), &[&name])?;
    }
    Ok(whole)
}
