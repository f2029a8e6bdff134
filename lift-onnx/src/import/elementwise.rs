//! Functions of numbers, applied to every element of arrays.

use super::network::Network;
use super::scalars;
use super::window::channel;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::fold;
use crate::tensor::{Elements, Tensor};
use lift::Program;
use lift_core::types::Scalar;
use lift_operators::scalar;
use ndarray::IxDyn;

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    if let Some((program, numbers)) = activation(call)? {
        return of_inputs(network, call, program, 1, &numbers).map(Some);
    }
    if call.operator() == "PRelu" && call.opset < 7 {
        return old_prelu(network, call).map(Some);
    }
    if let Some(program) = binary(call)? {
        return of_inputs(network, call, program, 2, &[]).map(Some);
    }
    Ok(Some(match call.operator() {
        "Identity" => vec![call.input(0)?.clone()],
        "Dropout" => dropout(call)?,
        "Cast" => cast(network, call)?,
        "Clip" => clip(network, call)?,
        "Sum" => several(network, call, scalar::add::program())?,
        "Max" => several(network, call, scalar::max::program())?,
        "Min" => several(network, call, scalar::min::program())?,
        "Mean" => mean(network, call)?,
        "Not" => logical(network, call, scalar::not::program(), 1)?,
        "And" => logical(network, call, scalar::and::program(), 2)?,
        "Or" => logical(network, call, scalar::or::program(), 2)?,
        "Xor" => logical(network, call, scalar::xor::program(), 2)?,
        "Where" => choose(network, call)?,
        _ => return Ok(None),
    }))
}

/// A function of one number, and the values of its further parameters.
fn activation<'p>(call: &Call) -> Result<Option<(&'p Program, Vec<f32>)>, OnnxError> {
    let program = match call.operator() {
        "Relu" => scalar::relu::program(),
        "Sigmoid" => scalar::sigmoid::program(),
        "Tanh" => scalar::tanh::program(),
        "Softplus" => scalars::softplus::program(),
        "Softsign" => scalar::softsign::program(),
        "Mish" => scalar::mish::program(),
        "HardSwish" => scalar::hard_swish::program(),
        "Abs" => scalar::abs::program(),
        "Neg" => scalar::neg::program(),
        "Reciprocal" => scalar::reciprocal::program(),
        "Sqrt" => scalar::sqrt::program(),
        "Exp" => scalar::exp::program(),
        "Log" => scalar::ln::program(),
        "Floor" => scalar::floor::program(),
        "Ceil" => scalar::ceil::program(),
        "Round" => scalar::round_even::program(),
        "Sign" => scalar::sign::program(),
        "Erf" => scalar::erf::program(),
        "Sin" => scalar::sin::program(),
        "Cos" => scalar::cos::program(),
        "Tan" => scalar::tan::program(),
        "Asin" => scalar::asin::program(),
        "Acos" => scalar::acos::program(),
        "Atan" => scalar::atan::program(),
        "Sinh" => scalar::sinh::program(),
        "Cosh" => scalar::cosh::program(),
        "Asinh" => scalar::asinh::program(),
        "Acosh" => scalar::acosh::program(),
        "Atanh" => scalar::atanh::program(),
        "IsNaN" => scalar::is_nan::program(),
        "Gelu" => match call.text("approximate", "none")? {
            "none" => scalar::gelu::program(),
            "tanh" => scalar::gelu_tanh::program(),
            other => return Err(call.unsupported_with("approximate", format!("= `{other}` is not known"))),
        },
        _ => return with_numbers(call),
    };
    Ok(Some((program, vec![])))
}

fn with_numbers<'p>(call: &Call) -> Result<Option<(&'p Program, Vec<f32>)>, OnnxError> {
    let alpha = |default| call.float("alpha", default);
    Ok(Some(match call.operator() {
        "LeakyRelu" => (scalar::leaky_relu::program(), vec![alpha(0.01)?]),
        "ThresholdedRelu" => (scalar::thresholded_relu::program(), vec![alpha(1.0)?]),
        "Elu" => (scalar::elu::program(), vec![alpha(1.0)?]),
        "Celu" => (scalar::celu::program(), vec![alpha(1.0)?]),
        "Swish" => (scalars::swish::program(), vec![alpha(1.0)?]),
        "HardSigmoid" => (scalar::hard_sigmoid::program(), vec![alpha(0.2)?, call.float("beta", 0.5)?]),
        "Shrink" => (scalar::shrink::program(), vec![call.float("bias", 0.0)?, call.float("lambd", 0.5)?]),
        "Selu" => {
            let (alpha, gamma) = (alpha(1.673_263_2)?, call.float("gamma", 1.050_701)?);
            (scalar::selu::program(), vec![alpha, gamma])
        }
        _ => return Ok(None),
    }))
}

/// A function of two numbers.
fn binary<'p>(call: &Call) -> Result<Option<&'p Program>, OnnxError> {
    Ok(Some(match call.operator() {
        "Add" => scalar::add::program(),
        "Sub" => scalar::sub::program(),
        "Mul" => scalar::mul::program(),
        "Div" => scalar::div::program(),
        "Pow" => scalar::pow::program(),
        "PRelu" => scalar::prelu::program(),
        "Mod" if call.flag("fmod", false)? => scalar::rem::program(),
        "Equal" => scalar::equal::program(),
        "Greater" => scalar::greater::program(),
        "GreaterOrEqual" => scalar::greater_or_equal::program(),
        "Less" => scalar::less::program(),
        "LessOrEqual" => scalar::less_or_equal::program(),
        _ => return Ok(None),
    }))
}

/// A program of numbers applied to the first inputs, which have elements of type `f32`.
fn of_inputs(
    network: &mut Network,
    call: &Call,
    program: &Program,
    count: usize,
    numbers: &[f32],
) -> Result<Vec<Known>, OnnxError> {
    let operands =
        (0..count).map(|at| operand(network, call, at, Scalar::F32)).collect::<Result<Vec<_>, _>>()?;
    result(network, call, program, (0..count).collect(), &operands, numbers)
}

/// An input with elements of this type; numbers that the caller passes, or that are known, stay numbers.
fn operand(network: &mut Network, call: &Call, at: usize, scalar: Scalar) -> Result<usize, OnnxError> {
    let known = call.input(at)?.clone();
    if known.scalar != scalar {
        let reason = format!("of type {} is not supported, only {scalar}", known.scalar);
        return Err(call.unsupported_with(&call.node.inputs[at], reason));
    }
    network.array(call, &known)
}

/// The result of a program of numbers, which has the shape that the inputs have together.
fn result(
    network: &mut Network,
    call: &Call,
    program: &Program,
    inputs: Vec<usize>,
    operands: &[usize],
    numbers: &[f32],
) -> Result<Vec<Known>, OnnxError> {
    let array = network.elementwise(call, program, operands, numbers)?;
    let mut rank = 0;
    for at in inputs {
        rank = rank.max(call.input(at)?.rank());
    }
    let shape = if rank == 0 { vec![] } else { network.shape(array).to_vec() };
    Ok(vec![Known { shape, ..network.known(array) }])
}

/// Slopes of which there is one for each channel, before arrays were repeated to go together.
fn old_prelu(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let (x, slopes) = (network.floats(call, 0)?, network.floats(call, 1)?);
    let (shape, own) = (network.shape(x).to_vec(), network.shape(slopes));
    let slopes = match own {
        [length] if *length > 1 && shape.len() > 1 => channel(network, call, slopes, &shape)?,
        _ => slopes,
    };
    let array = network.elementwise(call, scalar::prelu::program(), &[x, slopes], &[])?;
    Ok(vec![network.known(array)])
}

/// All inputs, combined from the first to the last.
fn several(network: &mut Network, call: &Call, program: &Program) -> Result<Vec<Known>, OnnxError> {
    call.all()?;
    let mut combined = operand(network, call, 0, Scalar::F32)?;
    for at in 1..call.arity() {
        let next = operand(network, call, at, Scalar::F32)?;
        combined = network.elementwise(call, program, &[combined, next], &[])?;
    }
    let scalar_only = call.all()?.iter().all(|input| input.rank() == 0);
    let shape = if scalar_only { vec![] } else { network.shape(combined).to_vec() };
    Ok(vec![Known { shape, ..network.known(combined) }])
}

fn mean(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let sums = several(network, call, scalar::add::program())?;
    let count = call.arity() as f32;
    sums.into_iter()
        .map(|sum| {
            let array = network.array(call, &sum)?;
            let array = network.elementwise(call, scalar::div::program(), &[array], &[count])?;
            Ok(Known { shape: sum.shape, ..network.known(array) })
        })
        .collect()
}

fn logical(
    network: &mut Network,
    call: &Call,
    program: &Program,
    count: usize,
) -> Result<Vec<Known>, OnnxError> {
    let operands =
        (0..count).map(|at| operand(network, call, at, Scalar::Bool)).collect::<Result<Vec<_>, _>>()?;
    result(network, call, program, (0..count).collect(), &operands, &[])
}

fn choose(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let condition = operand(network, call, 0, Scalar::Bool)?;
    let (yes, no) = (operand(network, call, 1, Scalar::F32)?, operand(network, call, 2, Scalar::F32)?);
    result(network, call, scalar::choose::program(), vec![0, 1, 2], &[condition, yes, no], &[])
}

/// Nothing is left out when a network is used and not trained.
fn dropout(call: &Call) -> Result<Vec<Known>, OnnxError> {
    ["ratio", "seed", "is_test"].into_iter().for_each(|name| call.ignore(name));
    if call.optional(2).is_some() && call.single::<bool>(2)? {
        return Err(call.unsupported_with("training_mode", "leaves out elements at random"));
    }
    let known = call.input(0)?.clone();
    if !call.wants(1) || call.opset < 10 {
        return Ok(vec![known]);
    }
    // Every element is kept.
    call.allocate(&known.shape, Scalar::Bool)?;
    let mask = Elements::from_elem(IxDyn(&known.shape), true);
    Ok(vec![known, Known::from(Tensor::Bool(mask))])
}

fn cast(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let (known, to) = (call.input(0)?.clone(), fold::cast_to(call)?);
    if known.scalar == to {
        return Ok(vec![known]);
    }
    let make = || scalar::cast(known.scalar, to);
    let program = network.program(call, format!("cast {} {to}", known.scalar), make)?;
    let operand = network.array(call, &known)?;
    result(network, call, &program, vec![0], &[operand], &[])
}

/// The bounds are attributes in old versions, and may be arrays in new ones.
fn clip(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let (low, high) = (call.optional_float("min")?, call.optional_float("max")?);
    let x = operand(network, call, 0, Scalar::F32)?;
    let bound = |network: &mut Network, at: usize, attribute: Option<f32>, open: f32| match call.optional(at)
    {
        Some(_) => operand(network, call, at, Scalar::F32),
        None => Ok(network.number(attribute.unwrap_or(open))),
    };
    let low = bound(network, 1, low, f32::NEG_INFINITY)?;
    let high = bound(network, 2, high, f32::INFINITY)?;
    result(network, call, scalar::clip::program(), vec![0], &[x, low, high], &[])
}
