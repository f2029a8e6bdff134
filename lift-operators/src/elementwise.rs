//! From functions of numbers to functions of arrays.

use crate::OperatorError;
use crate::build::dimension;
use lift::Program;

/// A program of scalars, applied to every element of arrays with so many dimensions, whose sizes are `D0`, `D1`, …
///
/// `uses[p][d]` says whether the array for parameter `p` has dimension `d` of the result. Along a dimension that it does not
/// have its elements are the same everywhere, and its array lacks that dimension. With nothing but `false` it stays a scalar.
///
/// ```
/// use lift::prelude::*;
/// use lift_operators::{elementwise, scalar};
///
/// // A matrix, and a number for each of its columns.
/// let add = elementwise(scalar::add::program(), 2, &[vec![true, true], vec![false, true]])?;
/// assert_eq!(add.result().to_string(), "[[f32; D1]; D0]");
/// let (xs, row) = (array![[1.0f32, 2.0], [3.0, 4.0]], array![10.0f32, 20.0]);
/// let sums = lift::run(&add, &Device::cpu(), &[], &[(&xs).into(), (&row).into()])?.remove(0);
/// assert_eq!(sums.into_array::<f32>()?, array![[11.0, 22.0], [13.0, 24.0]].into_dyn());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Rows of `uses` that are not one for each parameter with one entry for each dimension.
pub fn elementwise(program: &Program, rank: usize, uses: &[Vec<bool>]) -> Result<Program, OperatorError> {
    let names: Vec<String> = program.params().iter().map(|p| p.local.name.to_string()).collect();
    if uses.len() != names.len() || uses.iter().any(|row| row.len() != rank) {
        let reason = format!(
            "`{}` has {} parameters, and for each of them {rank} dimensions are needed",
            program.name(),
            names.len()
        );
        return Err(OperatorError::numbers("elementwise", reason));
    }
    let mut whole = program.clone();
    for d in (0..rank).rev() {
        let used = names.iter().zip(uses).filter(|(_, row)| row.get(d) == Some(&true));
        let used: Vec<&str> = used.map(|(name, _)| name.as_str()).collect();
        whole = whole.each(&dimension(d), &used)?;
    }
    Ok(whole)
}
