//! More elements at the ends, or fewer.

use crate::OperatorError;
use crate::build::{Draft, binary, call, int, is_length, name, signed, within};
use lift::Program;
use lift_core::syntax::{Binary, Expr};
use lift_core::types::Scalar;

/// What is put around an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Padding {
    /// One value: the parameter `value`, after `x`.
    Constant,
    /// The first and the last element again.
    Edge,
    /// The elements next to the ends, from the inside out: `c b | a b c | b a`.
    Reflect,
    /// The elements at the other end: `b c | a b c | a b`.
    Wrap,
}

/// So many elements more before and after an array along one axis; negative numbers are elements fewer.
///
/// Of `Reflect` and `Wrap` the axis must be long enough: longer than what is added, or as long.
///
/// # Errors
/// An axis that there is not.
pub fn pad(
    scalar: Scalar,
    rank: usize,
    axis: usize,
    (before, after): (i64, i64),
    padding: Padding,
) -> Result<Program, OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator: "pad", axis, rank });
    }
    if ![before, after].iter().all(|n| is_length(n.unsigned_abs())) {
        return Err(OperatorError::numbers("pad", format!("no array is longer by {before} and {after}")));
    }
    let mut draft = Draft::new("pad");
    let lengths = draft.dimensions(rank);
    let length = lengths[axis].clone();
    let x = draft.param("x", scalar, &lengths);
    // Something is left where elements are taken away.
    let (added, taken) = ([before.max(0), after.max(0)], [before.min(0), after.min(0)]);
    let total = -(taken[0] + taken[1]);
    if total > 0 {
        draft.demand(binary(Binary::Gt, length.clone(), signed(total)));
    }
    let left = binary(Binary::Sub, length, signed(total));
    let least = added[0].max(added[1]);
    match padding {
        Padding::Reflect if least > 0 => draft.demand(binary(Binary::Gt, left.clone(), signed(least))),
        Padding::Wrap if least > 1 => draft.demand(binary(Binary::Ge, left.clone(), signed(least))),
        _ => {}
    }
    if padding == Padding::Constant {
        draft.param("value", scalar, &[]);
    }
    let [more_before, more_after] = added.map(signed);
    let padded = |xs: Expr| match padding {
        Padding::Constant => call("pad", vec![signed(before), signed(after), name("value"), xs]),
        Padding::Edge => call("padClamp", vec![more_before.clone(), more_after.clone(), cropped(xs, taken)]),
        Padding::Wrap => call("padWrap", vec![more_before.clone(), more_after.clone(), cropped(xs, taken)]),
        Padding::Reflect => reflected(cropped(xs, taken), &left, added),
    };
    draft.program(within(axis, x, &padded))
}

fn cropped(xs: Expr, [before, after]: [i64; 2]) -> Expr {
    match (before, after) {
        (0, 0) => xs,
        // `padClamp` with negative numbers adds nothing.
        _ => call("padClamp", vec![signed(before), signed(after), xs]),
    }
}

/// `xs` has so many elements.
fn reflected(xs: Expr, length: &Expr, [before, after]: [i64; 2]) -> Expr {
    let end = |dropped: Expr, count: i64| {
        call("reverse", vec![call("take", vec![signed(count), call("drop", vec![dropped, xs.clone()])])])
    };
    let mut parts = vec![];
    if before > 0 {
        parts.push(end(int(1), before));
    }
    parts.push(xs.clone());
    if after > 0 {
        let dropped = binary(Binary::Sub, length.clone(), signed(after + 1));
        parts.push(end(dropped, after));
    }
    match parts.len() {
        1 => xs,
        _ => call("concat", parts),
    }
}
