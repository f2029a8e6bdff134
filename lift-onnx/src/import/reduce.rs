//! Sums and other functions of rows: along one axis or several.

use super::network::Network;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::layout::{self, Reduction};
use lift::Program;
use lift_core::types::Scalar;
use lift_operators::{rows, scalar};

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "ReduceMean" => reduce(network, call, rows::mean::program())?,
        "ReduceSum" => reduce(network, call, rows::sum::program())?,
        "ReduceMax" => reduce(network, call, rows::max_of::program())?,
        "ReduceMin" => reduce(network, call, rows::min_of::program())?,
        "ReduceProd" => reduce(network, call, rows::prod::program())?,
        "ReduceL1" => reduce(network, call, rows::l1::program())?,
        "ReduceL2" => reduce(network, call, rows::l2::program())?,
        "ReduceSumSquare" => reduce(network, call, rows::sum_squares::program())?,
        "ReduceLogSum" => reduce(network, call, rows::log_sum::program())?,
        "ReduceLogSumExp" => reduce(network, call, rows::log_sum_exp::program())?,
        "ArgMax" => best(network, call, rows::arg_max::program(), rows::arg_max_last::program())?,
        "ArgMin" => best(network, call, rows::arg_min::program(), rows::arg_min_last::program())?,
        "Softmax" => of_rows(network, call, rows::softmax::program())?,
        "LogSoftmax" => of_rows(network, call, rows::log_softmax::program())?,
        "Hardmax" => of_rows(network, call, rows::hard_max::program())?,
        "CumSum" => sums(network, call)?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// A function that makes one number of all elements along some axes.
fn reduce(network: &mut Network, call: &Call, program: &Program) -> Result<Known, OnnxError> {
    let Reduction { axes, keeps } = layout::reduction(call)?;
    let known = call.input(0)?.clone();
    // A number is a row of one, too.
    let axes = if known.rank() == 0 { vec![0] } else { axes };
    if axes.is_empty() {
        return match call.operator() {
            // Without axes each element is a row by itself.
            "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceProd" => Ok(known),
            _ => Err(call.unsupported_with("axes", "that are none is not supported")),
        };
    }
    let array = network.floats(call, 0)?;
    let reduced = network.over(call, program, array, &axes)?;
    network.shaped(call, reduced, &without(&known.shape, &axes, keeps))
}

/// The shape that is left of an array that is reduced.
fn without(shape: &[usize], axes: &[usize], keeps: bool) -> Vec<usize> {
    let lengths = shape.iter().enumerate();
    match keeps {
        true => lengths.map(|(d, length)| if axes.contains(&d) { 1 } else { *length }).collect(),
        false => lengths.filter(|(d, _)| !axes.contains(d)).map(|(_, length)| *length).collect(),
    }
}

/// Where the largest or smallest element of each row is.
fn best(network: &mut Network, call: &Call, first: &Program, last: &Program) -> Result<Known, OnnxError> {
    let shape = call.input(0)?.shape.clone();
    let axis = call.axis(call.int("axis", 0)?, shape.len())?;
    let keeps = call.flag("keepdims", true)?;
    let program = if call.flag("select_last_index", false)? { last } else { first };
    let array = network.floats(call, 0)?;
    let places = network.over(call, program, array, &[axis])?;
    let make = || scalar::cast(Scalar::I32, Scalar::I64);
    let wide = network.program(call, "cast i32 i64".to_string(), make)?;
    let places = network.elementwise(call, &wide, &[places], &[])?;
    network.shaped(call, places, &without(&shape, &[axis], keeps))
}

/// A function from rows to rows. Before version 13 the axis and all after it are one row.
fn of_rows(network: &mut Network, call: &Call, program: &Program) -> Result<Known, OnnxError> {
    let shape = call.input(0)?.shape.clone();
    let array = network.floats(call, 0)?;
    let array = if call.opset < 13 {
        let axis = call.axis(call.int("axis", 1)?, shape.len())?;
        let rows = [shape[..axis].iter().product(), shape[axis..].iter().product()];
        let array = network.reshape(call, array, &rows)?;
        network.along(call, program, &[], (array, 1), &[])?
    } else {
        let axis = call.axis(call.int("axis", -1)?, shape.len())?;
        network.along(call, program, &[], (array, axis), &[])?
    };
    network.shaped(call, array, &shape)
}

/// Sums of what comes before each element, and itself.
fn sums(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let shape = call.input(0)?.shape.clone();
    for flag in ["exclusive", "reverse"] {
        if call.flag(flag, false)? {
            return Err(call.unsupported_with(flag, "is not supported"));
        }
    }
    let [axis] = call.numbers(1)?[..] else { return Err(call.wrong("needs one axis")) };
    let axis = call.axis(axis, shape.len())?;
    let array = network.floats(call, 0)?;
    let array = network.along(call, rows::cumulative_sum::program(), &[], (array, axis), &[])?;
    Ok(network.known(array))
}
