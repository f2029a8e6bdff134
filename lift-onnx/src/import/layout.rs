//! Operators that move elements.

use super::network::Network;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::layout;
use crate::tensor::Tensor;
use lift_core::types::Scalar;
use lift_operators::layout::{self as programs, BlockOrder, Padding};

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "Reshape" => in_shape(network, call, layout::reshape(call)?)?,
        "Flatten" => in_shape(network, call, layout::flatten(call)?)?,
        "Squeeze" => in_shape(network, call, layout::squeeze(call)?)?,
        "Unsqueeze" => in_shape(network, call, layout::unsqueeze(call)?)?,
        "Transpose" => transpose(network, call)?,
        "Concat" => concat(network, call)?,
        "Split" => return split(network, call).map(Some),
        "Slice" => slice(network, call)?,
        "Gather" => gather(network, call)?,
        "Expand" => expand(network, call)?,
        "Tile" => tile(network, call)?,
        "Pad" => pad(network, call)?,
        "DepthToSpace" => depth_to_space(network, call)?,
        "SpaceToDepth" => space_to_depth(network, call)?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

fn in_shape(network: &mut Network, call: &Call, shape: Vec<usize>) -> Result<Known, OnnxError> {
    let array = network.any(call, 0)?;
    network.shaped(call, array, &shape)
}

fn transpose(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let order = layout::transpose(call)?;
    if order.is_empty() {
        return Ok(call.input(0)?.clone());
    }
    let array = network.any(call, 0)?;
    let array = network.permute(call, array, &order)?;
    Ok(network.known(array))
}

fn concat(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let axis = layout::concat(call)?;
    let mut arrays = vec![];
    // Arrays without elements add nothing.
    for at in 0..call.arity() {
        if call.input(at)?.shape[axis] > 0 {
            arrays.push(network.any(call, at)?);
        }
    }
    let array = match arrays[..] {
        [] => return Err(call.unsupported("makes an array without elements")),
        _ => concatenated(network, call, &arrays, axis)?,
    };
    Ok(network.known(array))
}

/// So many arrays one program puts together: checking one takes more than in proportion to their number.
const TOGETHER: usize = 64;

/// Arrays one after the other along an axis; of many first some, and then what becomes of these.
fn concatenated(
    network: &mut Network,
    call: &Call,
    arrays: &[usize],
    axis: usize,
) -> Result<usize, OnnxError> {
    if arrays.len() > TOGETHER {
        let mut larger = vec![];
        for some in arrays.chunks(TOGETHER) {
            larger.push(concatenated(network, call, some, axis)?);
        }
        return concatenated(network, call, &larger, axis);
    }
    if let [one] = arrays {
        return Ok(*one);
    }
    let (rank, count) = (network.shape(arrays[0]).len(), arrays.len());
    let scalar = network.scalar(arrays[0]);
    let make = || programs::concat(scalar, rank, axis, count);
    let program = network.program(call, format!("concat {scalar} {rank} {axis} {count}"), make)?;
    network.apply(call, &program, &[], arrays)
}

fn split(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let (axis, parts) = layout::split(call)?;
    let array = network.any(call, 0)?;
    let mut start = 0;
    let mut results = vec![];
    for count in parts {
        let part = network.slice(call, array, layout::Slice { axis, start, step: 1, count })?;
        results.push(network.known(part));
        start += count;
    }
    Ok(results)
}

fn slice(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let slices = layout::slice(call)?;
    let mut array = network.any(call, 0)?;
    for slice in slices {
        array = network.slice(call, array, slice)?;
    }
    Ok(network.known(array))
}

fn gather(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let (axis, places) = layout::gather(call)?;
    let indices = call.input(1)?.shape.clone();
    let array = network.any(call, 0)?;
    let mut shape = network.shape(array).to_vec();
    let gathered = along(network, call, array, axis, &places)?;
    shape.splice(axis..=axis, indices);
    network.shaped(call, gathered, &shape)
}

/// Longer lists of places are not kept to find the program again that was made of them.
const LONG: usize = 1 << 12;

/// The elements at these places along an axis.
pub(super) fn along(
    network: &mut Network,
    call: &Call,
    array: usize,
    axis: usize,
    places: &[usize],
) -> Result<usize, OnnxError> {
    let (scalar, rank) = (network.scalar(array), network.shape(array).len());
    let make = || programs::gather(scalar, rank, axis, places);
    if places.len() > LONG {
        let program = Network::new_program(call, make)?;
        return network.apply(call, &program, &[], &[array]);
    }
    let program = network.program(call, format!("gather {scalar} {rank} {axis} {places:?}"), make)?;
    network.apply(call, &program, &[], &[array])
}

fn expand(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let shape = layout::expand(call)?;
    if shape.is_empty() {
        return Ok(call.input(0)?.clone());
    }
    let array = network.any(call, 0)?;
    let array = expanded(network, call, array, &shape)?;
    Ok(network.known(array))
}

/// An array repeated to a shape.
fn expanded(network: &mut Network, call: &Call, array: usize, shape: &[usize]) -> Result<usize, OnnxError> {
    let (scalar, from) = (network.scalar(array), network.shape(array).to_vec());
    if from == shape {
        return Ok(array);
    }
    let make = || programs::expand(scalar, &from, shape);
    let program = network.program(call, format!("expand {scalar} {from:?} {shape:?}"), make)?;
    network.apply(call, &program, &[], &[array])
}

fn tile(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let times = layout::tile(call)?;
    if times.iter().all(|times| *times == 1) {
        return Ok(call.input(0)?.clone());
    }
    let array = network.any(call, 0)?;
    let scalar = network.scalar(array);
    let make = || programs::tile(scalar, &times);
    let program = network.program(call, format!("tile {scalar} {times:?}"), make)?;
    let array = network.apply(call, &program, &[], &[array])?;
    Ok(network.known(array))
}

/// Elements more, or fewer, before and after each axis.
fn pad(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let known = call.input(0)?.clone();
    let rank = known.rank();
    let padding = match call.text("mode", "constant")? {
        "constant" => Padding::Argument,
        "edge" => Padding::Edge,
        "reflect" => Padding::Reflect,
        "wrap" => Padding::Wrap,
        other => return Err(call.unsupported_with("mode", format!("= `{other}` is not known"))),
    };
    let pads = call.list("pads", 1)?.ok_or_else(|| call.wrong("does not say how much padding there is"))?;
    let axes = match call.optional_numbers(3)? {
        Some(axes) => call.axes(&axes, rank)?,
        None => (0..rank).collect(),
    };
    if pads.len() != 2 * axes.len() {
        return Err(call.wrong(format!(
            "has {} numbers of padding for {} dimensions",
            pads.len(),
            axes.len()
        )));
    }
    let old = call.optional_float("value")?;
    if let Some(value) = call.optional(2).filter(|value| value.scalar != known.scalar) {
        return Err(call.wrong(format!("pads an array of {} with {}", known.scalar, value.scalar)));
    }
    let value = match call.optional(2) {
        Some(value) if value.rank() == 0 => network.array(call, &value.clone())?,
        Some(value) => match value.constant.as_ref().and_then(|tensor| tensor.reshaped(&[])) {
            Some(tensor) => network.array(call, &Known::from(tensor))?,
            None => return Err(call.unsupported("has padding of more than one value")),
        },
        None => zero(network, call, known.scalar, old.unwrap_or(0.0))?,
    };
    let mut array = network.any(call, 0)?;
    for (at, axis) in axes.iter().enumerate() {
        let (before, after) = (pads[at], pads[at + axes.len()]);
        if (before, after) == (0, 0) {
            continue;
        }
        let scalar = known.scalar;
        let make = || programs::pad(scalar, rank, *axis, (before, after), padding);
        let key = format!("pad {scalar} {rank} {axis} {before} {after} {padding:?}");
        let program = network.program(call, key, make)?;
        let arguments = if padding == Padding::Argument { vec![array, value] } else { vec![array] };
        array = network.apply(call, &program, &[], &arguments)?;
    }
    Ok(network.known(array))
}

/// The number that padding is made of.
fn zero(network: &mut Network, call: &Call, scalar: Scalar, value: f32) -> Result<usize, OnnxError> {
    let tensor = match scalar {
        Scalar::F32 => return Ok(network.number(value)),
        Scalar::F64 => Tensor::single(f64::from(value)),
        Scalar::I64 => Tensor::single(0i64),
        Scalar::I32 => Tensor::single(0i32),
        Scalar::Bool => Tensor::single(false),
        Scalar::U8 => Tensor::single(0u8),
        Scalar::I8 => Tensor::single(0i8),
        other => return Err(call.unsupported(format!("pads arrays of {other}, which is not supported"))),
    };
    network.array(call, &Known::from(tensor))
}

fn depth_to_space(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let order = match call.text("mode", "DCR")? {
        "DCR" => BlockOrder::DepthLast,
        "CRD" => BlockOrder::DepthFirst,
        other => return Err(call.unsupported_with("mode", format!("= `{other}` is not known"))),
    };
    let (array, side) = (network.any(call, 0)?, side(call)?);
    let scalar = network.scalar(array);
    let make = || programs::depth_to_space(scalar, side, order);
    let program = network.program(call, format!("depth_to_space {scalar} {side} {order:?}"), make)?;
    let array = network.apply(call, &program, &[], &[array])?;
    Ok(network.known(array))
}

fn space_to_depth(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    match call.text("mode", "DCR")? {
        "DCR" => {}
        other => return Err(call.unsupported_with("mode", format!("= `{other}` is not supported"))),
    }
    let (array, side) = (network.any(call, 0)?, side(call)?);
    let scalar = network.scalar(array);
    let make = || programs::space_to_depth(scalar, side);
    let program = network.program(call, format!("space_to_depth {scalar} {side}"), make)?;
    let array = network.apply(call, &program, &[], &[array])?;
    Ok(network.known(array))
}

fn side(call: &Call) -> Result<usize, OnnxError> {
    let side = call.int("blocksize", 0)?;
    usize::try_from(side)
        .ok()
        .filter(|side| *side > 0)
        .ok_or_else(|| call.wrong(format!("has blocks of side {side}")))
}
