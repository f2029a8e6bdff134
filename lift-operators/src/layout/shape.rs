//! The same elements in the same order, in another shape; and copies of them.

use crate::OperatorError;
use crate::build::{Draft, call, index, int, name, within};
use lift::Program;
use lift_core::syntax::Expr;
use lift_core::types::Scalar;

/// The elements of an array of the shape `from` in an array of the shape `to`, in the same order.
///
/// ```
/// use lift::prelude::*;
/// use lift_operators::{Scalar, layout};
///
/// let flat = layout::reshape(Scalar::I64, &[2, 2, 3], &[4, 3])?;
/// assert_eq!(flat.result().to_string(), "[[i64; 3]; 4]");
/// # Ok::<(), lift_operators::OperatorError>(())
/// ```
///
/// # Errors
/// Shapes with different numbers of elements, or none.
pub fn reshape(scalar: Scalar, from: &[usize], to: &[usize]) -> Result<Program, OperatorError> {
    let groups = groups(from, to).ok_or_else(|| {
        let reason = format!(
            "arrays of shapes {from:?} and {to:?} do not have the same number of elements, 1 or more"
        );
        OperatorError::numbers("reshape", reason)
    })?;
    let mut draft = Draft::new("reshape");
    let lengths: Vec<Expr> = from.iter().map(|n| int(*n)).collect();
    let mut x = draft.param("x", scalar, &lengths);
    // From the last group to the first: what lies within a group has its new shape already.
    for Group { depth, from, to } in groups.into_iter().rev() {
        x = within(depth, x, &|xs| shaped(xs, &from, &to));
    }
    draft.program(x)
}

/// Dimensions that become others, so many dimensions deep: as few as possible with the same number of elements.
struct Group {
    depth: usize,
    from: Vec<usize>,
    to: Vec<usize>,
}

/// `None` where the numbers of elements are different, 0, or too large to be counted.
fn groups(from: &[usize], to: &[usize]) -> Option<Vec<Group>> {
    let product = |shape: &[usize]| shape.iter().try_fold(1usize, |product, n| product.checked_mul(*n));
    if product(from)? != product(to)? || product(from)? == 0 {
        return None;
    }
    let (mut groups, mut i, mut j) = (vec![], 0, 0);
    while i < from.len() && j < to.len() {
        let (depth, start) = (i, j);
        let (mut left, mut right) = (from[i], to[j]);
        (i, j) = (i + 1, j + 1);
        // Products of parts do not exceed those of the wholes.
        while left != right {
            if left < right {
                left *= from.get(i)?;
                i += 1;
            } else {
                right *= to.get(j)?;
                j += 1;
            }
        }
        groups.push(Group { depth, from: from[depth..i].to_vec(), to: to[start..j].to_vec() });
    }
    // Dimensions of length 1 are left over.
    if i < from.len() || j < to.len() {
        match groups.last_mut() {
            Some(last) => {
                last.from.extend(&from[i..]);
                last.to.extend(&to[j..]);
            }
            None => groups.push(Group { depth: 0, from: from.to_vec(), to: to.to_vec() }),
        }
    }
    Some(groups)
}

/// The outer dimensions of `xs`, which are `from`, as `to`: joined to one, and split.
fn shaped(xs: Expr, from: &[usize], to: &[usize]) -> Expr {
    if from == to {
        return xs;
    }
    let Some((_, rest)) = to.split_first() else {
        return from.iter().fold(xs, |xs, _| index(xs, int(0)));
    };
    let flat = match from.len() {
        0 => call("repeat", vec![int(1), xs]),
        n => (1..n).fold(xs, |xs, _| call("join", vec![xs])),
    };
    rest.iter().rev().fold(flat, |xs, n| call("split", vec![int(*n), xs]))
}

/// An array of the shape `from`, repeated so that its shape is `to`: along dimensions that it lacks, which are the outer
/// ones, and along dimensions of length 1.
///
/// # Errors
/// A shape `to` that `from` can't be repeated to.
pub fn expand(scalar: Scalar, from: &[usize], to: &[usize]) -> Result<Program, OperatorError> {
    let refused = || {
        OperatorError::numbers("expand", format!("an array of shape {from:?} does not become one of {to:?}"))
    };
    let added = to.len().checked_sub(from.len()).ok_or_else(refused)?;
    let (outer, inner) = to.split_at(added);
    if from.iter().zip(inner).any(|(n, m)| n != m && *n != 1) || to.contains(&0) {
        return Err(refused());
    }
    let mut draft = Draft::new("expand");
    let lengths: Vec<Expr> = from.iter().map(|n| int(*n)).collect();
    draft.param("x", scalar, &lengths);
    let repeated = |d: usize, x: Expr| match (from[d], inner[d]) {
        (n, m) if n == m => x,
        (_, m) => within(d, x, &|x| call("repeat", vec![int(m), index(x, int(0))])),
    };
    let x = (0..from.len()).rev().fold(name("x"), |x, d| repeated(d, x));
    draft.program(outer.iter().rev().fold(x, |x, n| call("repeat", vec![int(*n), x])))
}
