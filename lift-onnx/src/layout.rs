//! Where elements go when an operator only moves them: computed from shapes and attributes, the same for arrays that are
//! known while importing and for those that are not.

use crate::call::Call;
use crate::error::OnnxError;
use crate::tensor::{count, few};

/// The shape that arrays of these shapes have together: dimensions are aligned from the last, and one of length 1 is
/// repeated. Nothing if they don't go together.
pub(crate) fn broadcast<'s>(shapes: impl IntoIterator<Item = &'s [usize]>) -> Option<Vec<usize>> {
    let mut result: Vec<usize> = vec![];
    for shape in shapes {
        if shape.len() > result.len() {
            result.splice(0..0, vec![1; shape.len() - result.len()]);
        }
        let skipped = result.len() - shape.len();
        for (length, other) in result[skipped..].iter_mut().zip(shape) {
            match (*length, *other) {
                (a, b) if a == b => {}
                (1, b) => *length = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(result)
}

/// The shape that all inputs of a node have together.
pub(crate) fn broadcast_all(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let inputs = call.all()?;
    broadcast(inputs.iter().map(|input| input.shape.as_slice())).ok_or_else(|| {
        let shapes: Vec<String> = inputs.iter().map(|input| format!("{:?}", input.shape)).collect();
        call.wrong(format!("can't combine arrays of shapes {}", shapes.join(" and ")))
    })
}

/// `Reshape`: a length of 0 is that of the same dimension before, and one of -1 is what is left.
pub(crate) fn reshape(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let (from, wanted) = (&call.input(0)?.shape, call.numbers(1)?);
    let keeps_zeros = call.flag("allowzero", false)?;
    call.dimensions(wanted.len())?;
    let refused = || call.wrong(format!("can't make shape {wanted:?} of {from:?}"));
    let (mut shape, mut open) = (vec![], None);
    for (at, length) in wanted.iter().enumerate() {
        shape.push(match length {
            0 if !keeps_zeros => *from.get(at).ok_or_else(refused)?,
            -1 if open.is_none() => {
                open = Some(at);
                1
            }
            length => usize::try_from(*length).map_err(|_| refused())?,
        });
    }
    let (all, given) = (count(from).ok_or_else(refused)?, count(&shape).ok_or_else(refused)?);
    if let Some(open) = open {
        shape[open] = all.checked_div(given).ok_or_else(refused)?;
    }
    if count(&shape) == Some(all) { Ok(shape) } else { Err(refused()) }
}

/// `Flatten`: two dimensions, those before the axis and the others.
pub(crate) fn flatten(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let shape = &call.input(0)?.shape;
    let axis = call.int("axis", 1)?;
    // The axis may also be the one after the last.
    let axis = if axis == shape.len() as i64 { shape.len() } else { call.axis(axis, shape.len())? };
    let product = |lengths: &[usize]| {
        count(lengths).ok_or_else(|| call.wrong(format!("can't flatten an array of shape {shape:?}")))
    };
    Ok(vec![product(&shape[..axis])?, product(&shape[axis..])?])
}

/// `Squeeze`: without some dimensions of length 1, or without all of them.
pub(crate) fn squeeze(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let shape = &call.input(0)?.shape;
    let gone = match call.list("axes", 1)? {
        Some(axes) => call.axes(&axes, shape.len())?,
        None => (0..shape.len()).filter(|axis| shape[*axis] == 1).collect(),
    };
    if let Some(axis) = gone.iter().find(|axis| shape[**axis] != 1) {
        return Err(
            call.wrong(format!("can't leave out dimension {axis} of shape {shape:?}: its length is not 1"))
        );
    }
    Ok((0..shape.len()).filter(|axis| !gone.contains(axis)).map(|axis| shape[axis]).collect())
}

/// `Unsqueeze`: with more dimensions of length 1.
pub(crate) fn unsqueeze(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let shape = &call.input(0)?.shape;
    let axes = call.list("axes", 1)?.ok_or_else(|| call.wrong("does not say which dimensions are new"))?;
    let rank = shape.len() + axes.len();
    call.dimensions(rank)?;
    let new = call.axes(&axes, rank)?;
    let mut old = shape.iter();
    (0..rank)
        .map(|axis| if new.contains(&axis) { Some(1) } else { old.next().copied() })
        .collect::<Option<_>>()
        .ok_or_else(|| call.wrong("names too many dimensions"))
}

/// `Transpose`: which dimension comes where.
pub(crate) fn transpose(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let rank = call.input(0)?.rank();
    match call.ints("perm")? {
        None => Ok((0..rank).rev().collect()),
        Some(order) if order.len() == rank => call.axes(order, rank),
        Some(order) => {
            Err(call.wrong(format!("orders {} dimensions of an array that has {rank}", order.len())))
        }
    }
}

/// Every `step`-th element along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub axis: usize,
    /// The first element that is taken; of nothing it may be the one after the last.
    pub start: usize,
    /// From one element that is taken to the next; not 0.
    pub step: isize,
    /// How many elements are taken.
    pub count: usize,
}

/// `Slice`, along each dimension that it names.
pub(crate) fn slice(call: &Call) -> Result<Vec<Slice>, OnnxError> {
    let shape = &call.input(0)?.shape;
    let list = |name, at| {
        call.list(name, at)?.ok_or_else(|| call.wrong(format!("does not say where its parts lie: `{name}`")))
    };
    let (starts, ends) = (list("starts", 1)?, list("ends", 2)?);
    let axes = match call.list("axes", 3)? {
        Some(axes) => call.axes(&axes, shape.len())?,
        None if starts.len() <= shape.len() => (0..starts.len()).collect(),
        None => {
            return Err(call.wrong(format!(
                "takes a part of {} dimensions of {}",
                starts.len(),
                shape.len()
            )));
        }
    };
    let steps = call.optional_numbers(4)?.unwrap_or_else(|| vec![1; starts.len()]);
    if [ends.len(), axes.len(), steps.len()] != [starts.len(); 3] {
        return Err(call.wrong("has lists of different lengths that say where its parts lie"));
    }
    let mut slices = vec![];
    for (((axis, start), end), step) in axes.into_iter().zip(starts).zip(ends).zip(steps) {
        let Some(slice) = part(axis, shape[axis], [start, end, step]) else {
            return Err(call.wrong("takes every 0th element, which is none"));
        };
        slices.push(slice);
    }
    Ok(slices)
}

/// A part of a dimension of this length, of which negative places count from its end.
fn part(axis: usize, length: usize, [start, end, step]: [i64; 3]) -> Option<Slice> {
    let n = length as i128;
    let place = |place: i64, low: i128, high: i128| {
        let place = i128::from(place);
        (if place < 0 { place + n } else { place }).clamp(low, high.max(low))
    };
    let step = i128::from(step);
    let (start, end) = match step {
        0 => return None,
        1.. => (place(start, 0, n), place(end, 0, n)),
        _ => (place(start, 0, n - 1), place(end, -1, n - 1)),
    };
    let distance = if step > 0 { end - start } else { start - end };
    let count = if length == 0 || distance <= 0 { 0 } else { (distance - 1) / step.abs() + 1 };
    // Of one element the step does not matter, and it may be too large for the machine.
    let step = if count <= 1 { step.signum() } else { step };
    Some(Slice { axis, start: start as usize, step: step as isize, count: count as usize })
}

/// `Concat`: the axis, after a look whether all other lengths are equal.
pub(crate) fn concat(call: &Call) -> Result<usize, OnnxError> {
    let inputs = call.all()?;
    let first = &inputs[0].shape;
    let axis = call.optional_int("axis")?.ok_or_else(|| call.wrong("does not say along which dimension"))?;
    let axis = call.axis(axis, first.len())?;
    for input in &inputs {
        let fits = |at: usize| at == axis || input.shape[at] == first[at];
        if input.rank() != first.len() || !(0..first.len()).all(fits) {
            return Err(
                call.wrong(format!("can't put {:?} after {first:?} along dimension {axis}", input.shape))
            );
        }
        if input.scalar != inputs[0].scalar {
            return Err(call.wrong(format!("can't put {} after {}", input.scalar, inputs[0].scalar)));
        }
    }
    Ok(axis)
}

/// `Split`: the axis, and the length of each part.
pub(crate) fn split(call: &Call) -> Result<(usize, Vec<usize>), OnnxError> {
    let shape = &call.input(0)?.shape;
    let axis = call.axis(call.int("axis", 0)?, shape.len())?;
    let (length, outputs) = (shape[axis], call.node.outputs.len());
    let parts = match (call.list("split", 1)?, call.optional_int("num_outputs")?) {
        (Some(lengths), _) => {
            let parts: Result<Vec<usize>, _> = lengths.iter().map(|n| usize::try_from(*n)).collect();
            parts.map_err(|_| call.wrong(format!("makes parts of lengths {}", few(&lengths))))?
        }
        // The last part may be smaller.
        (None, Some(number)) if number == outputs as i64 && outputs > 0 => {
            let part = length.div_ceil(outputs);
            (0..outputs).map(|at| part.min(length.saturating_sub(at * part))).collect()
        }
        (None, None) if outputs > 0 && length.is_multiple_of(outputs) => vec![length / outputs; outputs],
        _ => return Err(call.wrong(format!("can't make {outputs} equal parts of {length} elements"))),
    };
    let sum = parts.iter().try_fold(0usize, |sum, part| sum.checked_add(*part));
    if sum != Some(length) || parts.len() != outputs {
        return Err(
            call.wrong(format!("can't make {outputs} parts of lengths {} of {length} elements", few(&parts)))
        );
    }
    Ok((axis, parts))
}

/// `Expand`: the shape that array and wanted shape have together.
pub(crate) fn expand(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let (shape, wanted) = (&call.input(0)?.shape, call.numbers(1)?);
    call.dimensions(wanted.len())?;
    let refused = || call.wrong(format!("can't make shape {wanted:?} of {shape:?}"));
    let lengths: Result<Vec<usize>, _> = wanted.iter().map(|n| usize::try_from(*n)).collect();
    let lengths = lengths.map_err(|_| refused())?;
    broadcast([shape.as_slice(), &lengths]).filter(|shape| count(shape).is_some()).ok_or_else(refused)
}

/// `Tile`: how often the array is repeated along each dimension.
pub(crate) fn tile(call: &Call) -> Result<Vec<usize>, OnnxError> {
    let (shape, repeats) = (&call.input(0)?.shape, call.numbers(1)?);
    let refused = || call.wrong(format!("can't repeat an array of shape {shape:?} {} times", few(&repeats)));
    let times: Result<Vec<usize>, _> = repeats.iter().map(|n| usize::try_from(*n)).collect();
    let times = times.map_err(|_| refused())?;
    let lengths: Option<Vec<usize>> = shape.iter().zip(&times).map(|(n, t)| n.checked_mul(*t)).collect();
    let possible = lengths.and_then(|lengths| count(&lengths)).is_some();
    if times.len() == shape.len() && possible { Ok(times) } else { Err(refused()) }
}

/// `Gather`: the axis, and the places along it, all of which exist.
pub(crate) fn gather(call: &Call) -> Result<(usize, Vec<usize>), OnnxError> {
    let shape = &call.input(0)?.shape;
    let axis = call.axis(call.int("axis", 0)?, shape.len())?;
    call.dimensions(shape.len() - 1 + call.input(1)?.rank())?;
    let length = shape[axis];
    let place = |index: &i64| {
        let from_start = if *index < 0 { index.checked_add(length as i64) } else { Some(*index) };
        let place = from_start.and_then(|place| usize::try_from(place).ok()).filter(|place| *place < length);
        place.ok_or_else(|| call.wrong(format!("takes element {index} of {length}")))
    };
    Ok((axis, call.numbers(1)?.iter().map(place).collect::<Result<_, _>>()?))
}

/// Which dimensions a reduction combines, and whether they stay, of length 1.
pub(crate) struct Reduction {
    pub axes: Vec<usize>,
    pub keeps: bool,
}

/// What a node says of them: all dimensions, unless it names some or says that none means none.
pub(crate) fn reduction(call: &Call) -> Result<Reduction, OnnxError> {
    let rank = call.input(0)?.rank();
    let keeps = call.flag("keepdims", true)?;
    let nothing = call.flag("noop_with_empty_axes", false)?;
    let mut axes = match call.list("axes", 1)? {
        Some(axes) if !axes.is_empty() => call.axes(&axes, rank)?,
        _ if nothing => vec![],
        _ => (0..rank).collect(),
    };
    axes.sort_unstable();
    Ok(Reduction { axes, keeps })
}

#[cfg(test)]
mod tests {
    use super::{Slice, broadcast, part};

    #[test]
    fn shapes_are_combined() {
        let both = |a: &[usize], b: &[usize]| broadcast([a, b]);
        assert_eq!(both(&[2, 3], &[3]), Some(vec![2, 3]));
        assert_eq!(both(&[2, 1, 4], &[3, 1]), Some(vec![2, 3, 4]));
        assert_eq!(both(&[], &[5]), Some(vec![5]));
        assert_eq!(both(&[0], &[1]), Some(vec![0]));
        assert_eq!(both(&[2], &[3]), None);
    }

    /// Compared with going from element to element.
    #[test]
    fn parts_have_the_elements_between_their_ends() {
        const EXTREMES: [i64; 2] = [i64::MIN, i64::MAX];
        for length in 0..5usize {
            for start in (-7..8).chain(EXTREMES) {
                for end in (-7..8).chain(EXTREMES) {
                    for step in [-3, -1, 1, 2, i64::MIN, i64::MAX] {
                        let slice = part(1, length, [start, end, step]).unwrap();
                        let found: Vec<i128> = (0..slice.count)
                            .map(|i| slice.start as i128 + i as i128 * slice.step as i128)
                            .collect();
                        assert_eq!(found, naive(length, start, end, step), "{length} {start} {end} {step}");
                    }
                }
            }
        }
        assert_eq!(part(0, 3, [0, 3, 0]), None);
        assert_eq!(part(0, 9, [1, 8, 3]), Some(Slice { axis: 0, start: 1, step: 3, count: 3 }));
    }

    /// As ONNX says it; Python differs where a part that goes backwards starts before the first element.
    fn naive(length: usize, start: i64, end: i64, step: i64) -> Vec<i128> {
        let (n, step) = (length as i128, i128::from(step));
        let wrap = |x: i64| if x < 0 { i128::from(x) + n } else { i128::from(x) };
        let (lowest, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
        let (mut at, end) = (wrap(start).max(0).min(high), wrap(end).max(lowest).min(high));
        let mut found = vec![];
        while if step > 0 { at < end } else { at > end } {
            found.push(at);
            at += step;
        }
        found
    }
}
