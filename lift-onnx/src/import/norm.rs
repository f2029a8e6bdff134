//! Normalisations.

use super::network::Network;
use super::scalars;
use super::window::channel;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::tensor::Tensor;
use lift::Program;
use lift_operators::{rows, scalar};

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "BatchNormalization" => batch(network, call)?,
        "InstanceNormalization" => instance(network, call)?,
        "LayerNormalization" => return layer(network, call).map(Some),
        "GroupNormalization" => group(network, call)?,
        "LpNormalization" => lp(network, call)?,
        "MeanVarianceNormalization" => mean_variance(network, call)?,
        "LRN" => local_response(network, call)?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// Each channel by a mean and a variance that are known. If they are weights, what is left is a product and a sum.
fn batch(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    // Only training changes means and variances.
    call.ignore("momentum");
    if call.flag("training_mode", false)? {
        return Err(call.unsupported_with("training_mode", "is not supported"));
    }
    if !call.flag("spatial", true)? {
        return Err(call.unsupported_with("spatial", "= 0 is not supported"));
    }
    call.ignore("is_test");
    let epsilon = call.float("epsilon", 1e-5)?;
    let x = network.floats(call, 0)?;
    let shape = network.shape(x).to_vec();
    if shape.len() < 2 {
        return Err(call.wrong(format!("needs channels, not an array of shape {shape:?}")));
    }
    if let Some([scale, shift]) = affine(call, epsilon)? {
        let mut operands = vec![x];
        for tensor in [scale, shift] {
            let array = network.array(call, &Known::from(tensor))?;
            operands.push(channel(network, call, array, &shape)?);
        }
        let array = network.elementwise(call, scalar::affine::program(), &operands, &[])?;
        return Ok(network.known(array));
    }
    let mut operands = vec![x];
    for at in 1..5 {
        let array = network.floats(call, at)?;
        operands.push(channel(network, call, array, &shape)?);
    }
    let array = network.elementwise(call, scalars::batch_norm::program(), &operands, &[epsilon])?;
    Ok(network.known(array))
}

/// What each channel is multiplied by, and what is added then, if all that they follow from is known.
fn affine(call: &Call, epsilon: f32) -> Result<Option<[Tensor; 2]>, OnnxError> {
    let mut known = vec![];
    for at in 1..5 {
        match &call.input(at)?.constant {
            Some(Tensor::F32(elements)) => known.push(elements),
            _ => return Ok(None),
        }
    }
    let [scale, shift, mean, variance] = known[..] else { return Ok(None) };
    if ![shift, mean, variance].iter().all(|other| other.shape() == scale.shape()) {
        return Err(call.wrong("has arrays of different shapes for its channels"));
    }
    // In twice the digits: the result is rounded once.
    let factors = || {
        let pairs = scale.iter().zip(variance);
        pairs.map(|(scale, variance)| f64::from(*scale) / (f64::from(*variance) + f64::from(epsilon)).sqrt())
    };
    let moved = shift.iter().zip(mean).zip(factors());
    let shifts: Vec<f32> =
        moved.map(|((shift, mean), factor)| (f64::from(*shift) - f64::from(*mean) * factor) as f32).collect();
    let scales: Vec<f32> = factors().map(|factor| factor as f32).collect();
    Ok(Some([scales, shifts].map(|numbers| Tensor::F32(ndarray::arr1(&numbers).into_dyn().into_shared()))))
}

/// Rows of an array that is seen as a matrix of so many rows, normalised; then in the array's own shape again.
fn normalized(
    network: &mut Network,
    call: &Call,
    x: usize,
    rows_: usize,
    epsilon: f32,
) -> Result<usize, OnnxError> {
    let shape = network.shape(x).to_vec();
    let length = shape.iter().product::<usize>() / rows_;
    let matrix = network.reshape(call, x, &[rows_, length])?;
    let matrix = network.along(call, rows::normalized::program(), &[], (matrix, 1), &[epsilon])?;
    network.reshape(call, matrix, &shape)
}

/// Each channel of each image by its own mean and variance.
fn instance(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let epsilon = call.float("epsilon", 1e-5)?;
    let x = network.floats(call, 0)?;
    let shape = network.shape(x).to_vec();
    if shape.len() < 3 {
        return Err(call.wrong(format!("needs channels of images, not an array of shape {shape:?}")));
    }
    let x = normalized(network, call, x, shape[0] * shape[1], epsilon)?;
    scaled(network, call, x)
}

/// With a number for each channel to multiply with, and one to add.
fn scaled(network: &mut Network, call: &Call, x: usize) -> Result<Known, OnnxError> {
    let shape = network.shape(x).to_vec();
    let mut operands = vec![x];
    for at in 1..3 {
        let array = network.floats(call, at)?;
        operands.push(channel(network, call, array, &shape)?);
    }
    let array = network.elementwise(call, scalar::affine::program(), &operands, &[])?;
    Ok(network.known(array))
}

/// Everything from an axis on by its own mean and variance, which are results, too, if somebody wants them.
fn layer(network: &mut Network, call: &Call) -> Result<Vec<Known>, OnnxError> {
    let epsilon = call.float("epsilon", 1e-5)?;
    // In which type it is computed: there is one.
    call.ignore("stash_type");
    let shape = call.input(0)?.shape.clone();
    let axis = call.axis(call.int("axis", -1)?, shape.len())?;
    let given = network.floats(call, 0)?;
    let mut x = normalized(network, call, given, shape[..axis].iter().product(), epsilon)?;
    let scale = network.floats(call, 1)?;
    x = network.elementwise(call, scalar::mul::program(), &[x, scale], &[])?;
    if call.optional(2).is_some() {
        let shift = network.floats(call, 2)?;
        x = network.elementwise(call, scalar::add::program(), &[x, shift], &[])?;
    }
    if network.shape(x) != shape {
        return Err(call.wrong(format!("makes an array of shape {:?} of one of {shape:?}", network.shape(x))));
    }
    let mut results = vec![network.known(x)];
    if call.wants(1) || call.wants(2) {
        let axes: Vec<usize> = (axis..shape.len()).collect();
        let mut reduced = shape.clone();
        reduced[axis..].fill(1);
        let mean = network.over(call, rows::mean::program(), given, &axes)?;
        let mean = network.reshape(call, mean, &reduced)?;
        let deviation = network.elementwise(call, scalar::sub::program(), &[given, mean], &[])?;
        let variance = network.elementwise(call, scalar::square::program(), &[deviation], &[])?;
        let variance = network.over(call, rows::mean::program(), variance, &axes)?;
        let factor = network.elementwise(call, scalars::inverse_root::program(), &[variance], &[epsilon])?;
        let factor = network.reshape(call, factor, &reduced)?;
        results.extend([mean, factor].map(|array| network.known(array)));
    }
    Ok(results)
}

/// Groups of channels of each image by their own mean and variance.
fn group(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let epsilon = call.float("epsilon", 1e-5)?;
    call.ignore("stash_type");
    let x = network.floats(call, 0)?;
    let shape = network.shape(x).to_vec();
    let groups = call.int("num_groups", 0)?;
    let groups = usize::try_from(groups)
        .ok()
        .filter(|groups| shape.len() > 2 && *groups > 0 && shape[1].is_multiple_of(*groups));
    let groups = groups
        .ok_or_else(|| call.wrong(format!("can't make equal groups of channels of shape {shape:?}")))?;
    let x = normalized(network, call, x, shape[0] * groups, epsilon)?;
    if call.opset >= 21 {
        return scaled(network, call, x);
    }
    // Before, there was a number for each group.
    let rows_ =
        network.reshape(call, x, &[shape[0], groups, shape.iter().product::<usize>() / shape[0] / groups])?;
    let rows_ = scaled(network, call, rows_)?;
    let array = network.array(call, &rows_)?;
    network.shaped(call, array, &shape)
}

/// Divided by the norm along an axis.
fn lp(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let x = network.floats(call, 0)?;
    let axis = call.axis(call.int("axis", -1)?, network.shape(x).len())?;
    let program: &Program = match call.int("p", 2)? {
        1 => rows::l1_normalized::program(),
        2 => rows::l2_normalized::program(),
        p => return Err(call.unsupported_with("p", format!("= {p} is not supported"))),
    };
    let array = network.along(call, program, &[], (x, axis), &[])?;
    Ok(network.known(array))
}

/// Everything along some axes by its own mean and variance.
fn mean_variance(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let x = network.floats(call, 0)?;
    let rank = network.shape(x).len();
    let axes = call.axes(call.ints("axes")?.unwrap_or(&[0, 2, 3]), rank)?;
    let order: Vec<usize> = (0..rank).filter(|d| !axes.contains(d)).chain(axes.iter().copied()).collect();
    let outer = (0..rank).filter(|d| !axes.contains(d)).map(|d| network.shape(x)[d]).product();
    let x = network.permute(call, x, &order)?;
    let x = normalized(network, call, x, outer, 1e-9)?;
    let back: Vec<usize> = (0..rank).filter_map(|d| order.iter().position(|from| *from == d)).collect();
    let array = network.permute(call, x, &back)?;
    Ok(network.known(array))
}

/// Each element by the squares of the channels around it.
fn local_response(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let size = call.int("size", 0)?;
    let size = usize::try_from(size).ok().filter(|size| *size > 0);
    let size = size.ok_or_else(|| call.wrong("needs a positive number of channels to look at"))?;
    let numbers = [call.float("alpha", 1e-4)?, call.float("beta", 0.75)?, call.float("bias", 1.0)?];
    let x = network.floats(call, 0)?;
    let left = (size - 1) / 2;
    let sizes = [("LEFT", left), ("RIGHT", size - 1 - left)];
    if network.shape(x).len() < 2 {
        return Err(call.wrong("needs channels"));
    }
    let array = network.along(call, rows::lrn::program(), &sizes, (x, 1), &numbers)?;
    Ok(network.known(array))
}
