//! Arithmetic, comparisons and sums over known arrays, which are repeated along dimensions of length 1.

use super::number::{Number, numeric};
use crate::call::Call;
use crate::error::OnnxError;
use crate::layout::{self, Reduction};
use crate::tensor::{Element, Elements, Tensor};
use lift_core::types::Scalar;
use ndarray::{ArcArray, Axis, IxDyn, Zip};

/// The result of an operator of this kind; nothing if it is none, or has elements of a type that is not computed with.
pub(super) fn fold(call: &Call) -> Result<Option<Tensor>, OnnxError> {
    let operator = call.operator();
    Ok(match operator {
        "Where" => Some(choose(call)?),
        "And" | "Or" | "Xor" => Some(combined(call, |a: bool, b| match operator {
            "And" => Some(a && b),
            "Or" => Some(a || b),
            _ => Some(a != b),
        })?),
        "Not" => Some(Tensor::Bool(only::<bool>(call, 0)?.mapv(|x| !x).into_shared())),
        "Equal" if call.input(0)?.scalar == Scalar::Bool => Some(combined(call, |a: bool, b| Some(a == b))?),
        _ => {
            let scalar = call.input(0)?.scalar;
            numeric!(scalar, T => numbers::<T>(call)?, None)
        }
    })
}

fn numbers<T: Number>(call: &Call) -> Result<Option<Tensor>, OnnxError> {
    let least = |a: T, b: T| if b < a { b } else { a };
    let most = |a: T, b: T| if b > a { b } else { a };
    Ok(Some(match call.operator() {
        "Add" => combined(call, |a: T, b| Some(a.add(b)))?,
        "Sub" => combined(call, |a: T, b| Some(a.sub(b)))?,
        "Mul" => combined(call, |a: T, b| Some(a.mul(b)))?,
        "Div" => combined(call, |a: T, b| a.div(b))?,
        "Mod" => {
            let truncated = call.flag("fmod", false)?;
            combined(call, |a: T, b| a.rem(b, truncated))?
        }
        "Equal" => combined(call, |a: T, b| Some(a == b))?,
        "Greater" => combined(call, |a: T, b| Some(a > b))?,
        "GreaterOrEqual" => combined(call, |a: T, b| Some(a >= b))?,
        "Less" => combined(call, |a: T, b| Some(a < b))?,
        "LessOrEqual" => combined(call, |a: T, b| Some(a <= b))?,
        "Min" => all(call, least)?,
        "Max" => all(call, most)?,
        "Sum" => all(call, T::add)?,
        "Neg" => mapped(call, |x: T| Some(x.neg()))?,
        "Abs" => mapped(call, |x: T| Some(x.abs()))?,
        "Floor" => mapped(call, |x: T| x.map_real(f64::floor))?,
        "Ceil" => mapped(call, |x: T| x.map_real(f64::ceil))?,
        "Round" => mapped(call, |x: T| x.map_real(f64::round_ties_even))?,
        "Sqrt" => mapped(call, |x: T| x.map_real(f64::sqrt))?,
        "Reciprocal" => mapped(call, |x: T| x.map_real(f64::recip))?,
        "ReduceProd" => reduced(call, Some(T::of_whole(1)), T::mul)?,
        "ReduceSum" => reduced(call, Some(T::of_whole(0)), T::add)?,
        "ReduceMin" => reduced(call, None, least)?,
        "ReduceMax" => reduced(call, None, most)?,
        _ => return Ok(None),
    }))
}

/// The elements of an input, which must be of this type.
fn only<'a, T: Element>(call: &'a Call, at: usize) -> Result<&'a Elements<T>, OnnxError> {
    let tensor = call.constant(at)?;
    T::elements(tensor)
        .ok_or_else(|| call.wrong(format!("needs {} as input {at}, not {}", T::SCALAR, tensor.scalar())))
}

fn undefined(call: &Call) -> OnnxError {
    call.wrong("is not defined for these elements")
}

fn mapped<T: Element + Copy>(call: &Call, f: impl Fn(T) -> Option<T>) -> Result<Tensor, OnnxError> {
    let array = only::<T>(call, 0)?;
    call.allocate(array.shape(), T::SCALAR)?;
    let elements = array.iter().map(|x| f(*x)).collect::<Option<Vec<T>>>().ok_or_else(|| undefined(call))?;
    shaped(call, elements, array.shape())
}

/// Both inputs, repeated to one shape.
fn combined<T: Element + Copy, R: Element>(
    call: &Call,
    f: impl Fn(T, T) -> Option<R>,
) -> Result<Tensor, OnnxError> {
    let (left, right) = (only::<T>(call, 0)?, only::<T>(call, 1)?);
    let shape = layout::broadcast_all(call)?;
    call.allocate(&shape, R::SCALAR)?;
    let (Some(left), Some(right)) = (left.broadcast(IxDyn(&shape)), right.broadcast(IxDyn(&shape))) else {
        return Err(undefined(call));
    };
    let pairs = left.iter().zip(right.iter()).map(|(a, b)| f(*a, *b));
    let elements = pairs.collect::<Option<Vec<R>>>().ok_or_else(|| undefined(call))?;
    shaped(call, elements, &shape)
}

/// All inputs, repeated to one shape, combined from the first to the last.
fn all<T: Element + Copy>(call: &Call, f: impl Fn(T, T) -> T) -> Result<Tensor, OnnxError> {
    let shape = layout::broadcast_all(call)?;
    call.allocate(&shape, T::SCALAR)?;
    let first = only::<T>(call, 0)?.broadcast(IxDyn(&shape)).ok_or_else(|| undefined(call))?;
    let mut result = first.to_owned();
    for at in 1..call.arity() {
        let other = only::<T>(call, at)?.broadcast(IxDyn(&shape)).ok_or_else(|| undefined(call))?;
        Zip::from(&mut result).and(&other).for_each(|a, b| *a = f(*a, *b));
    }
    shaped(call, result.iter().copied().collect(), &shape)
}

fn choose(call: &Call) -> Result<Tensor, OnnxError> {
    fn chosen<T: Element>(call: &Call, _: &Elements<T>) -> Result<Tensor, OnnxError> {
        let shape = layout::broadcast_all(call)?;
        call.allocate(&shape, T::SCALAR)?;
        let (condition, yes, no) = (only::<bool>(call, 0)?, only::<T>(call, 1)?, only::<T>(call, 2)?);
        let shared = IxDyn(&shape);
        let (Some(condition), Some(yes), Some(no)) =
            (condition.broadcast(shared.clone()), yes.broadcast(shared.clone()), no.broadcast(shared))
        else {
            return Err(undefined(call));
        };
        let both = yes.iter().zip(no.iter());
        let elements = condition.iter().zip(both).map(|(c, (yes, no))| if *c { yes } else { no }.clone());
        shaped(call, elements.collect(), &shape)
    }
    match call.constant(1)? {
        Tensor::Bool(a) => chosen(call, a),
        Tensor::I8(a) => chosen(call, a),
        Tensor::U8(a) => chosen(call, a),
        Tensor::I16(a) => chosen(call, a),
        Tensor::U16(a) => chosen(call, a),
        Tensor::I32(a) => chosen(call, a),
        Tensor::U32(a) => chosen(call, a),
        Tensor::I64(a) => chosen(call, a),
        Tensor::U64(a) => chosen(call, a),
        Tensor::F16(a) => chosen(call, a),
        Tensor::F32(a) => chosen(call, a),
        Tensor::F64(a) => chosen(call, a),
    }
}

/// Elements along some dimensions combined; `none` is the result where there are none.
fn reduced<T: Element + Copy>(call: &Call, none: Option<T>, f: fn(T, T) -> T) -> Result<Tensor, OnnxError> {
    let Reduction { axes, keeps } = layout::reduction(call)?;
    let mut array = only::<T>(call, 0)?.clone();
    for axis in axes.into_iter().rev() {
        if array.shape()[axis] == 0 && none.is_none() {
            return Err(undefined(call));
        }
        let mut shape = array.shape().to_vec();
        if keeps {
            shape[axis] = 1;
        } else {
            shape.remove(axis);
        }
        // Of an array without elements this may be a large one.
        call.allocate(&shape, T::SCALAR)?;
        let lanes = array.lanes(Axis(axis));
        let combined = lanes.into_iter().map(|lane| lane.iter().copied().reduce(f).or(none));
        let elements = combined.collect::<Option<Vec<T>>>().ok_or_else(|| undefined(call))?;
        array = ArcArray::from_shape_vec(shape, elements).map_err(|_| undefined(call))?;
    }
    Ok(T::tensor(array))
}

fn shaped<T: Element>(call: &Call, elements: Vec<T>, shape: &[usize]) -> Result<Tensor, OnnxError> {
    let array = ArcArray::from_shape_vec(IxDyn(shape), elements).map_err(|_| undefined(call))?;
    Ok(T::tensor(array))
}
