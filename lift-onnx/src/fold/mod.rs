//! Computes what is known before the network runs: shapes, and what a model does with its constants.
//!
//! This is no second way to run networks: it knows what models compute shapes with, over whole arrays and without hurry.

mod elementwise;
mod moves;
mod number;

use crate::call::Call;
use crate::error::OnnxError;
use crate::layout;
use crate::read;
use crate::tensor::{Element, Tensor};
use half::f16;
use lift_core::types::Scalar;
use ndarray::{ArcArray, IxDyn};
use number::Number;

/// The results of a node, if the node is one that is computed here and all that it depends on is known.
///
/// # Errors
/// The node is wrong, or its result would take too much memory.
pub(crate) fn fold(call: &Call) -> Result<Option<Vec<Tensor>>, OnnxError> {
    if !call.node.domain.is_empty() {
        return Ok(None);
    }
    // These ask for shapes only, or for nothing.
    let one = match call.operator() {
        "Constant" => constant(call)?,
        "Shape" => shape(call)?,
        "Size" => size(call)?,
        _ => {
            let known = |at| call.optional(at).is_none_or(|input| input.constant.is_some());
            if !(0..call.arity()).all(known) {
                return Ok(None);
            }
            return folded(call);
        }
    };
    call.finish()?;
    Ok(Some(vec![one]))
}

/// The same for a node all of whose inputs are known.
fn folded(call: &Call) -> Result<Option<Vec<Tensor>>, OnnxError> {
    let one = match call.operator() {
        "Identity" => call.constant(0)?.clone(),
        "ConstantOfShape" => constant_of_shape(call)?,
        "Range" => match range(call)? {
            Some(range) => range,
            None => return Ok(None),
        },
        "Cast" => cast(call)?,
        "Reshape" => moves::reshaped(call, &layout::reshape(call)?)?,
        "Flatten" => moves::reshaped(call, &layout::flatten(call)?)?,
        "Squeeze" => moves::reshaped(call, &layout::squeeze(call)?)?,
        "Unsqueeze" => moves::reshaped(call, &layout::unsqueeze(call)?)?,
        "Transpose" => moves::transpose(call)?,
        "Slice" => moves::slice(call)?,
        "Concat" => moves::concat(call)?,
        "Gather" => moves::gather(call)?,
        "Expand" => moves::expand(call)?,
        "Tile" => moves::tile(call)?,
        "NonZero" => moves::non_zero(call)?,
        "Split" => {
            let parts = moves::split(call)?;
            call.finish()?;
            return Ok(Some(parts));
        }
        _ => match elementwise::fold(call)? {
            Some(one) => one,
            None => return Ok(None),
        },
    };
    call.finish()?;
    Ok(Some(vec![one]))
}

fn constant(call: &Call) -> Result<Tensor, OnnxError> {
    let vector = |n: usize| IxDyn(&[n]);
    if let Some(tensor) = call.tensor("value")? {
        return Ok(tensor.clone());
    }
    if let Some(number) = call.optional_int("value_int")? {
        return Ok(Tensor::single(number));
    }
    if let Some(number) = call.optional_float("value_float")? {
        return Ok(Tensor::single(number));
    }
    if let Some(numbers) = call.ints("value_ints")? {
        return Ok(Tensor::list(numbers));
    }
    if let Some(numbers) = call.floats("value_floats")? {
        let array = ArcArray::from_shape_vec(vector(numbers.len()), numbers.to_vec());
        return array.map(Tensor::F32).map_err(|e| call.wrong(e.to_string()));
    }
    Err(call.unsupported("has no value of numbers"))
}

fn shape(call: &Call) -> Result<Tensor, OnnxError> {
    let shape = &call.input(0)?.shape;
    let rank = shape.len() as i64;
    // Ends beyond the shape are cut off.
    let place =
        |value: i64| (if value < 0 { value.saturating_add(rank) } else { value }).clamp(0, rank) as usize;
    let (start, end) = (place(call.int("start", 0)?), place(call.int("end", rank)?));
    let lengths: Vec<i64> = shape[start..end.max(start)].iter().map(|length| *length as i64).collect();
    Ok(Tensor::list(&lengths))
}

fn size(call: &Call) -> Result<Tensor, OnnxError> {
    Ok(Tensor::single(call.input(0)?.shape.iter().product::<usize>() as i64))
}

fn constant_of_shape(call: &Call) -> Result<Tensor, OnnxError> {
    let wanted = call.numbers(0)?;
    call.dimensions(wanted.len())?;
    let lengths: Result<Vec<usize>, _> = wanted.iter().map(|n| usize::try_from(*n)).collect();
    let shape = lengths.map_err(|_| call.wrong(format!("makes an array of shape {wanted:?}")))?;
    let zero = Tensor::F32(ndarray::arr1(&[0.0]).into_dyn().into_shared());
    let value = call.tensor("value")?.unwrap_or(&zero);
    call.allocate(&shape, value.scalar())?;
    moves::filled(value, &shape)
        .ok_or_else(|| call.wrong("has no value, or more than one, to fill the array with"))
}

fn range(call: &Call) -> Result<Option<Tensor>, OnnxError> {
    fn numbers<T: Number>(call: &Call) -> Result<Tensor, OnnxError> {
        let [start, limit, step] = [call.single::<T>(0)?, call.single(1)?, call.single(2)?];
        let number = ((limit.real() - start.real()) / step.real()).ceil();
        if !number.is_finite() {
            return Err(call.wrong("never comes to an end"));
        }
        // A float as large as this is refused for the memory that it takes.
        let count = number.max(0.0) as usize;
        call.allocate(&[count], T::SCALAR)?;
        let steps = (0..count).map(|i| start.add(T::of_whole(i as i128).mul(step)));
        Ok(T::tensor(ArcArray::from(steps.collect::<Vec<T>>()).into_dyn()))
    }
    Ok(Some(match call.constant(0)?.scalar() {
        Scalar::I64 => numbers::<i64>(call)?,
        Scalar::I32 => numbers::<i32>(call)?,
        Scalar::I16 => numbers::<i16>(call)?,
        Scalar::F32 => numbers::<f32>(call)?,
        Scalar::F64 => numbers::<f64>(call)?,
        _ => return Ok(None),
    }))
}

/// The scalar type that `Cast` converts to.
pub(crate) fn cast_to(call: &Call) -> Result<Scalar, OnnxError> {
    call.ignore("saturate");
    let number =
        call.optional_int("to")?.ok_or_else(|| call.wrong("does not say which type to convert to"))?;
    read::scalar_of_number(number).ok_or_else(|| {
        call.unsupported_with("to", format!("= {number} names a type that programs don't have"))
    })
}

fn cast(call: &Call) -> Result<Tensor, OnnxError> {
    let (tensor, to) = (call.constant(0)?, cast_to(call)?);
    if tensor.scalar() == to {
        return Ok(tensor.clone());
    }
    call.allocate(tensor.shape(), to)?;
    /// A number on its way from one type to another.
    enum Any {
        Whole(i128),
        Real(f64),
    }
    macro_rules! from {
        ($($whole:ident)*; $($real:ident)*) => {
            match tensor {
                $(Tensor::$whole(a) => Box::new(a.iter().map(|x| Any::Whole(i128::from(*x)))),)*
                $(Tensor::$real(a) => Box::new(a.iter().map(|x| Any::Real(f64::from(*x)))),)*
            }
        };
    }
    // One after the other: all at once would take many times the memory of the result.
    let numbers: Box<dyn Iterator<Item = Any>> = from!(Bool I8 U8 I16 U16 I32 U32 I64 U64; F16 F32 F64);
    macro_rules! to {
        ($($whole:ident $ty:ty),*) => {
            match to {
                Scalar::Bool => of(tensor, numbers, |x| match x {
                    Any::Whole(x) => x != 0,
                    Any::Real(x) => x != 0.0,
                }),
                Scalar::F16 => of(tensor, numbers, |x| match x {
                    Any::Whole(x) => f16::from_f64(x as f64),
                    Any::Real(x) => f16::from_f64(x),
                }),
                $(Scalar::$whole => of(tensor, numbers, |x| match x {
                    Any::Whole(x) => x as $ty,
                    Any::Real(x) => x as $ty,
                }),)*
            }
        };
    }
    fn of<T: Element>(
        like: &Tensor,
        numbers: Box<dyn Iterator<Item = Any> + '_>,
        convert: impl Fn(Any) -> T,
    ) -> Option<Tensor> {
        let elements = numbers.map(convert).collect();
        ArcArray::from_shape_vec(IxDyn(like.shape()), elements).ok().map(T::tensor)
    }
    let tensor = to!(I8 i8, U8 u8, I16 i16, U16 u16, I32 i32, U32 u32, I64 i64, U64 u64, F32 f32, F64 f64);
    tensor.ok_or_else(|| call.wrong("can't be computed"))
}

#[cfg(test)]
mod tests;
