//! Operators that only move elements, of any type.

use crate::call::Call;
use crate::error::OnnxError;
use crate::layout;
use crate::tensor::{Element, Elements, Tensor, any, count, each};
use lift_core::types::Scalar;
use ndarray::{ArcArray, Axis, IxDyn, SliceInfoElem};

fn failed(call: &Call) -> OnnxError {
    call.wrong("has inputs that don't go together")
}

/// Elements in order, in another shape of as many.
fn in_shape<T>(elements: Vec<T>, shape: &[usize]) -> Option<Elements<T>> {
    ArcArray::from_shape_vec(IxDyn(shape), elements).ok()
}

/// One value as often as the shape has elements.
pub(super) fn filled(value: &Tensor, shape: &[usize]) -> Option<Tensor> {
    fn fill<T: Clone>(value: &Elements<T>, shape: &[usize]) -> Option<Elements<T>> {
        let first = value.first().filter(|_| value.len() == 1)?;
        in_shape(vec![first.clone(); count(shape)?], shape)
    }
    Some(each!(value, value => fill(value, shape)?))
}

/// The same elements in order, in another shape of as many.
pub(super) fn reshaped(call: &Call, shape: &[usize]) -> Result<Tensor, OnnxError> {
    let tensor = call.constant(0)?;
    call.allocate(shape, tensor.scalar())?;
    tensor.reshaped(shape).ok_or_else(|| failed(call))
}

pub(super) fn transpose(call: &Call) -> Result<Tensor, OnnxError> {
    let order = layout::transpose(call)?;
    Ok(each!(call.constant(0)?, array => array.clone().permuted_axes(order)))
}

pub(super) fn slice(call: &Call) -> Result<Tensor, OnnxError> {
    let slices = layout::slice(call)?;
    Ok(each!(call.constant(0)?, array => slices.iter().fold(array.clone(), part)))
}

/// A part of an array, which is not copied.
fn part<T: Clone>(mut array: Elements<T>, slice: &layout::Slice) -> Elements<T> {
    let all = SliceInfoElem::Slice { start: 0, end: None, step: 1 };
    // With a negative step, what is taken begins at the end of the range.
    let reach = slice.step.unsigned_abs() * slice.count.saturating_sub(1);
    let (low, high) = match (slice.count, slice.step > 0) {
        (0, _) => (0, 0),
        (_, true) => (slice.start, slice.start + reach + 1),
        (_, false) => (slice.start - reach, slice.start + 1),
    };
    let range = SliceInfoElem::Slice { start: low as isize, end: Some(high as isize), step: slice.step };
    let info: Vec<SliceInfoElem> =
        (0..array.ndim()).map(|at| if at == slice.axis { range } else { all }).collect();
    array.slice_collapse(info.as_slice());
    array
}

pub(super) fn split(call: &Call) -> Result<Vec<Tensor>, OnnxError> {
    let (axis, parts) = layout::split(call)?;
    let tensor = call.constant(0)?;
    let mut start = 0;
    let mut results = vec![];
    for count in parts {
        let slice = layout::Slice { axis, start, step: 1, count };
        results.push(each!(tensor, array => part(array.clone(), &slice)));
        start += count;
    }
    Ok(results)
}

pub(super) fn concat(call: &Call) -> Result<Tensor, OnnxError> {
    fn concat<T: Element>(call: &Call, axis: usize) -> Result<Elements<T>, OnnxError> {
        let tensors: Result<Vec<&Tensor>, _> = (0..call.arity()).map(|at| call.constant(at)).collect();
        let views = tensors?.into_iter().map(|tensor| T::elements(tensor).map(|array| array.view()));
        let views = views.collect::<Option<Vec<_>>>().ok_or_else(|| failed(call))?;
        let array = ndarray::concatenate(Axis(axis), &views).map_err(|_| failed(call))?;
        // Whatever the layout of the parts, elements lie in order.
        Ok(array.as_standard_layout().into_owned().into_shared())
    }
    let axis = layout::concat(call)?;
    let mut shape = call.input(0)?.shape.clone();
    let lengths = call.all()?.into_iter().try_fold(0usize, |sum, input| sum.checked_add(input.shape[axis]));
    shape[axis] = lengths.ok_or_else(|| failed(call))?;
    call.allocate(&shape, call.input(0)?.scalar)?;
    fn of<T>(_: &Elements<T>, call: &Call, axis: usize) -> Result<Elements<T>, OnnxError>
    where
        T: Element,
    {
        concat::<T>(call, axis)
    }
    Ok(each!(call.constant(0)?, first => of(first, call, axis)?))
}

pub(super) fn gather(call: &Call) -> Result<Tensor, OnnxError> {
    let (axis, places) = layout::gather(call)?;
    let (tensor, indices) = (call.constant(0)?, &call.input(1)?.shape);
    let mut shape = tensor.shape().to_vec();
    shape.splice(axis..=axis, indices.iter().copied());
    call.allocate(&shape, tensor.scalar())?;
    fn gathered<T: Clone>(
        array: &Elements<T>,
        axis: usize,
        places: &[usize],
        shape: &[usize],
    ) -> Option<Elements<T>> {
        in_shape(array.select(Axis(axis), places).iter().cloned().collect(), shape)
    }
    Ok(each!(tensor, array => gathered(array, axis, &places, &shape).ok_or_else(|| failed(call))?))
}

pub(super) fn expand(call: &Call) -> Result<Tensor, OnnxError> {
    let (tensor, shape) = (call.constant(0)?, layout::expand(call)?);
    call.allocate(&shape, tensor.scalar())?;
    fn expanded<T: Clone>(array: &Elements<T>, shape: &[usize]) -> Option<Elements<T>> {
        in_shape(array.broadcast(IxDyn(shape))?.iter().cloned().collect(), shape)
    }
    Ok(each!(tensor, array => expanded(array, &shape).ok_or_else(|| failed(call))?))
}

pub(super) fn tile(call: &Call) -> Result<Tensor, OnnxError> {
    let (tensor, times) = (call.constant(0)?, layout::tile(call)?);
    let shape: Vec<usize> = tensor.shape().iter().zip(&times).map(|(length, times)| length * times).collect();
    call.allocate(&shape, tensor.scalar())?;
    /// From the innermost dimension on, what lies along it as a whole so many times.
    fn tiled<T: Copy>(array: &Elements<T>, times: &[usize], shape: &[usize]) -> Option<Elements<T>> {
        let mut all: Vec<T> = array.iter().copied().collect();
        for d in (0..shape.len()).rev() {
            let along = array.shape()[d] * shape[d + 1..].iter().product::<usize>();
            if times[d] != 1 && along != 0 {
                let mut repeated = Vec::with_capacity(all.len() * times[d]);
                all.chunks(along).for_each(|chunk| repeated.append(&mut chunk.repeat(times[d])));
                all = repeated;
            }
        }
        in_shape(all, shape)
    }
    Ok(each!(tensor, array => tiled(array, &times, &shape).ok_or_else(|| failed(call))?))
}

/// The places of all elements that are not zero: a row for each dimension.
pub(super) fn non_zero(call: &Call) -> Result<Tensor, OnnxError> {
    fn places<T: Clone + PartialEq + Default>(array: &Elements<T>) -> Vec<usize> {
        array.iter().enumerate().filter(|(_, x)| **x != T::default()).map(|(place, _)| place).collect()
    }
    let tensor = call.constant(0)?;
    let rank = tensor.shape().len();
    call.allocate(&[rank.max(1), tensor.len()], Scalar::I64)?;
    // In the order of the elements, counted through all dimensions.
    let found = any!(tensor, array => places(array));
    let mut rows = Vec::with_capacity(rank * found.len());
    for (d, length) in tensor.shape().iter().enumerate() {
        let inner = tensor.shape()[d + 1..].iter().product::<usize>();
        rows.extend(found.iter().map(|place| (place / inner % length) as i64));
    }
    in_shape(rows, &[rank, found.len()]).map(Tensor::I64).ok_or_else(|| failed(call))
}
