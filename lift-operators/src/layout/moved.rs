//! The same elements in another order, or some of them.

use crate::OperatorError;
use crate::build::{Draft, binary, call, int, is_length, within};
use lift::Program;
use lift_core::syntax::{Binary, Expr};
use lift_core::types::Scalar;

/// Dimension `i` of the result is dimension `order[i]` of the array.
///
/// # Errors
/// An `order` that does not have each dimension once.
pub fn permute(scalar: Scalar, order: &[usize]) -> Result<Program, OperatorError> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..order.len()) {
        let reason = format!("{order:?} is no order of {} dimensions", order.len());
        return Err(OperatorError::numbers("permute", reason));
    }
    let mut draft = Draft::new("permute");
    let lengths = draft.dimensions(order.len());
    let x = draft.param("x", scalar, &lengths);
    draft.program(permuted(x, order))
}

/// By transpositions of neighbouring dimensions.
pub(crate) fn permuted(x: Expr, order: &[usize]) -> Expr {
    let (mut now, mut x): (Vec<usize>, Expr) = ((0..order.len()).collect(), x);
    for (to, dimension) in order.iter().enumerate() {
        let Some(from) = now.iter().position(|d| d == dimension) else { continue };
        for depth in (to..from).rev() {
            now.swap(depth, depth + 1);
            x = within(depth, x, &|x| call("transpose", vec![x]));
        }
    }
    x
}

/// The elements `start`, `start + step`, … before `stop` along one axis; with a negative `step` those after `stop`, which may
/// then be -1.
///
/// All numbers are those of elements that there are: counting from the end, and what is beyond it, is for the caller to
/// resolve. The array must have them, and may be longer.
///
/// # Errors
/// An axis that there is not, a step of 0, and no elements.
pub fn slice(
    scalar: Scalar,
    rank: usize,
    axis: usize,
    (start, stop, step): (usize, i64, i64),
) -> Result<Program, OperatorError> {
    if axis >= rank {
        return Err(OperatorError::Axis { operator: "slice", axis, rank });
    }
    let run = Run::new(start, stop, step).ok_or_else(|| {
        let reason = format!("there are no elements from {start} to {stop} in steps of {step}");
        OperatorError::numbers("slice", reason)
    })?;
    let mut draft = Draft::new("slice");
    let lengths = draft.dimensions(rank);
    draft.demand(binary(Binary::Gt, lengths[axis].clone(), int(run.last())));
    let x = draft.param("x", scalar, &lengths);
    draft.program(within(axis, x, &|xs| run.of(xs)))
}

/// So many elements at equal distances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Run {
    /// The smallest index.
    pub least: usize,
    /// From one to the next.
    pub step: usize,
    pub count: usize,
    /// From the largest index to the smallest.
    pub backwards: bool,
}

impl Run {
    fn new(start: usize, stop: i64, step: i64) -> Option<Run> {
        let distance = i128::from(stop) - i128::try_from(start).ok()?;
        let step = i128::from(step);
        if step == 0 || distance.signum() != step.signum() {
            return None;
        }
        let count = distance.unsigned_abs().div_ceil(step.unsigned_abs());
        let (count, step, backwards) =
            (usize::try_from(count).ok()?, usize::try_from(step.unsigned_abs()).ok()?, step < 0);
        // One element has no direction.
        let (step, backwards) = if count == 1 { (1, false) } else { (step, backwards) };
        let width = (count - 1).checked_mul(step)?;
        let least = if backwards { start.checked_sub(width)? } else { start };
        least.checked_add(width).filter(|last| is_length(*last as u64))?;
        Some(Run { least, step, count, backwards })
    }

    /// The largest index.
    pub fn last(&self) -> usize {
        self.least + (self.count - 1) * self.step
    }

    /// These elements of `xs`.
    pub fn of(&self, xs: Expr) -> Expr {
        let width = (self.count - 1) * self.step + 1;
        let dropped = if self.least == 0 { xs } else { call("drop", vec![int(self.least), xs]) };
        let taken = call("take", vec![int(width), dropped]);
        let spread = match self.step {
            1 => taken,
            step => call("join", vec![call("slide", vec![int(1), int(step), taken])]),
        };
        if self.backwards { call("reverse", vec![spread]) } else { spread }
    }
}

/// Which of the channels that make a block are next to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockOrder {
    /// Channels of one place of the block are: `DCR` in ONNX.
    DepthLast,
    /// Places of the block are: `CRD` in ONNX.
    DepthFirst,
}

/// Channels become blocks of `side` rows and columns: `[[[[T; W]; H]; C]; N]` with the sizes `N`, `C`, `H` and `W`, where `C` is
/// the number of channels of the result.
///
/// # Errors
/// A side of 0.
pub fn depth_to_space(scalar: Scalar, side: usize, order: BlockOrder) -> Result<Program, OperatorError> {
    let mut draft = Draft::new("depth_to_space");
    let [n, c, h, w] = ["N", "C", "H", "W"].map(|size| draft.size(size));
    let area = area("depth_to_space", side)?;
    let channels = binary(Binary::Mul, c.clone(), int(area));
    let x = draft.param("x", scalar, &[n, channels, h, w]);
    // With the channels apart: by rows of the block, by columns of it, and those of the result.
    let order: [usize; 6] = match order {
        BlockOrder::DepthLast => [0, 3, 4, 1, 5, 2],
        BlockOrder::DepthFirst => [0, 1, 4, 2, 5, 3],
    };
    let inner = match order[1] {
        3 => [int(side), c],
        _ => [int(side), int(side)],
    };
    let apart = within(1, x, &|channels| {
        let [middle, last] = inner.clone();
        call("split", vec![middle, call("split", vec![last, channels])])
    });
    let placed = permuted(apart, &order);
    // [N, C, H, side, W, side]
    let columns = within(4, placed, &|xs| call("join", vec![xs]));
    draft.program(within(2, columns, &|xs| call("join", vec![xs])))
}

/// Blocks of `side` rows and columns become channels, those of one place of the block next to each other:
/// `[[[[T; side * W]; side * H]; C]; N]` with the sizes `N`, `C`, `H` and `W`.
///
/// # Errors
/// A side of 0.
pub fn space_to_depth(scalar: Scalar, side: usize) -> Result<Program, OperatorError> {
    let mut draft = Draft::new("space_to_depth");
    let [n, c, h, w] = ["N", "C", "H", "W"].map(|size| draft.size(size));
    area("space_to_depth", side)?;
    let times = |length: Expr| binary(Binary::Mul, length, int(side));
    let x = draft.param("x", scalar, &[n, c, times(h), times(w)]);
    let rows = within(2, x, &|xs| call("split", vec![int(side), xs]));
    let apart = within(4, rows, &|xs| call("split", vec![int(side), xs]));
    // [N, C, H, side, W, side], of which the sides come before the channels.
    let placed = permuted(apart, &[0, 3, 5, 1, 2, 4]);
    draft.program(within(1, placed, &|xs| call("join", vec![call("join", vec![xs])])))
}

fn area(operator: &'static str, side: usize) -> Result<usize, OperatorError> {
    let area = side.checked_mul(side).filter(|area| *area > 0);
    area.ok_or_else(|| OperatorError::numbers(operator, format!("blocks of {side} rows and columns")))
}
