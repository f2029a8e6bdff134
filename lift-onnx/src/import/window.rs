//! Convolutions and pooling.
//!
//! Programs of windows have two dimensions. An array with one is an image of one row. With three, pooling goes over planes
//! first and then over what is left of them, and a convolution is the sum of those of its planes.

use super::network::Network;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::layout::Slice;
use crate::tensor::few;
use lift::Program;
use lift_operators::{rows, scalar, window};
use std::sync::Arc;

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "Conv" => conv(network, call)?,
        "ConvTranspose" => conv_transposed(network, call)?,
        "MaxPool" => {
            // How places are numbered, which are no result here.
            call.ignore("storage_order");
            pool(network, call, window::max_pool::program(), None)?
        }
        "AveragePool" => average_pool(network, call)?,
        "LpPool" => lp_pool(network, call)?,
        "GlobalAveragePool" => global(network, call, rows::mean::program())?,
        "GlobalMaxPool" => global(network, call, rows::max_of::program())?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// How windows move along one dimension.
#[derive(Clone, Copy, Debug)]
struct Axis {
    /// How many elements a window has.
    kernel: usize,
    stride: usize,
    dilation: usize,
    /// Padding at the start.
    before: usize,
    /// Padding at the end.
    after: usize,
    /// More at the end, so that a last window is whole that would be cut off.
    extra: usize,
}

/// A dimension in which nothing happens.
const STILL: Axis = Axis { kernel: 1, stride: 1, dilation: 1, before: 0, after: 0, extra: 0 };

/// The sizes of a program of windows, in rows and columns.
fn sizes([h, w]: [Axis; 2]) -> Vec<(&'static str, usize)> {
    vec![
        ("KH", h.kernel),
        ("KW", w.kernel),
        ("SH", h.stride),
        ("SW", w.stride),
        ("DH", h.dilation),
        ("DW", w.dilation),
        ("PT", h.before),
        ("PL", w.before),
        ("PB", h.after),
        ("PR", w.after),
        ("EB", h.extra),
        ("ER", w.extra),
    ]
}

/// One number for each dimension, at least `least`.
fn numbers<'c>(
    call: &Call<'c>,
    name: &'c str,
    count: usize,
    default: usize,
    least: i64,
) -> Result<Vec<usize>, OnnxError> {
    let Some(values) = call.ints(name)? else { return Ok(vec![default; count]) };
    let wrong = || {
        let values = few(values);
        call.wrong(format!("has {values} as `{name}`, where {count} numbers of at least {least} belong"))
    };
    if values.len() != count {
        return Err(wrong());
    }
    // Sums of a few of them are counted in 64 bits.
    let possible = |value: &i64| (least..=i64::from(i32::MAX)).contains(value);
    values.iter().map(|value| if possible(value) { Ok(*value as usize) } else { Err(wrong()) }).collect()
}

/// How windows of these sizes move over an array whose last dimensions are these.
fn axes(call: &Call, spatial: &[usize], kernel: &[usize], rounds_up: bool) -> Result<Vec<Axis>, OnnxError> {
    let count = spatial.len();
    let strides = numbers(call, "strides", count, 1, 1)?;
    let dilations = numbers(call, "dilations", count, 1, 1)?;
    let pads = numbers(call, "pads", 2 * count, 0, 0)?;
    let auto = call.text("auto_pad", "NOTSET")?;
    let mut axes = vec![];
    for d in 0..count {
        let (length, stride) = (spatial[d], strides[d]);
        let mut axis = Axis {
            kernel: kernel[d],
            stride,
            dilation: dilations[d],
            before: pads[d],
            after: pads[count + d],
            extra: 0,
        };
        let span = (axis.kernel - 1) * axis.dilation + 1;
        match auto {
            "" | "NOTSET" => {}
            "VALID" => (axis.before, axis.after) = (0, 0),
            "SAME_UPPER" | "SAME_LOWER" => {
                let total = ((length.div_ceil(stride) - 1) * stride + span).saturating_sub(length);
                let (less, more) = (total / 2, total - total / 2);
                (axis.before, axis.after) = if auto == "SAME_UPPER" { (less, more) } else { (more, less) };
            }
            other => return Err(call.unsupported_with("auto_pad", format!("= `{other}` is not known"))),
        }
        let padded = length + axis.before + axis.after;
        if rounds_up && span <= padded {
            let mut windows = (padded - span).div_ceil(stride) + 1;
            // A window that would begin in the padding at the end is none.
            if (windows - 1) * stride >= length + axis.before {
                windows -= 1;
            }
            axis.extra = ((windows - 1) * stride + span).saturating_sub(padded);
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// Outer dimensions `[N, C]` and the others of an array of images.
fn split_shape<'s>(call: &Call, shape: &'s [usize]) -> Result<([usize; 2], &'s [usize]), OnnxError> {
    match shape {
        [n, c, spatial @ ..] if (1..=3).contains(&spatial.len()) => Ok(([*n, *c], spatial)),
        _ => Err(call.unsupported(format!(
            "of an array of shape {shape:?} is not supported: windows have 1 to 3 dimensions"
        ))),
    }
}

// Convolutions.

fn conv(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let (x, mut kernels) = (network.floats(call, 0)?, network.floats(call, 1)?);
    let shape = network.shape(x).to_vec();
    let ([_, channels], spatial) = split_shape(call, &shape)?;
    let weights = network.shape(kernels).to_vec();
    let groups = groups(call)?;
    let fits = weights.len() == shape.len()
        && channels.is_multiple_of(groups)
        && weights[1] == channels / groups
        && weights[0].is_multiple_of(groups);
    if !fits {
        let reason =
            format!("can't apply kernels of shape {weights:?} to shape {shape:?} in {groups} groups");
        return Err(call.wrong(reason));
    }
    let kernel = numbers(call, "kernel_shape", spatial.len(), 1, 1)?;
    if call.ints("kernel_shape")?.is_some() && kernel != weights[2..] {
        return Err(call.wrong(format!("has kernels of shape {weights:?}, not of {kernel:?}")));
    }
    let axes = axes(call, spatial, &weights[2..], false)?;
    let program = match (groups, weights[0]) {
        (1, _) => window::conv::program(),
        (groups, kernels) if groups == channels && kernels == channels => window::conv_depthwise::program(),
        _ => window::conv_grouped::program(),
    };
    let program = network.program(call, program.name().to_string(), || Ok(program.clone()))?;
    let convolution = Convolution { program, groups, kernels: weights[0] };
    let array = match axes[..] {
        [w] => {
            let row = network.reshape(call, x, &[shape[0], shape[1], 1, shape[2]])?;
            kernels = network.reshape(call, kernels, &[weights[0], weights[1], 1, weights[2]])?;
            let row = convolution.apply(network, call, kernels, row, [STILL, w])?;
            without_rows(network, call, row)?
        }
        [h, w] => convolution.apply(network, call, kernels, x, [h, w])?,
        _ => convolution.of_planes(network, call, kernels, x, &axes)?,
    };
    biased(network, call, array)
}

fn groups(call: &Call) -> Result<usize, OnnxError> {
    let groups = call.int("group", 1)?;
    usize::try_from(groups)
        .ok()
        .filter(|groups| *groups > 0)
        .ok_or_else(|| call.wrong(format!("has {groups} groups")))
}

/// Without the dimension of rows, of which there is one.
fn without_rows(network: &mut Network, call: &Call, array: usize) -> Result<usize, OnnxError> {
    let mut shape = network.shape(array).to_vec();
    shape.remove(2);
    network.reshape(call, array, &shape)
}

/// With one number added to each channel, if the node has them.
fn biased(network: &mut Network, call: &Call, array: usize) -> Result<Known, OnnxError> {
    if call.optional(2).is_none() {
        return Ok(network.known(array));
    }
    let (bias, shape) = (network.floats(call, 2)?, network.shape(array).to_vec());
    let bias = channel(network, call, bias, &shape)?;
    let array = network.elementwise(call, scalar::add::program(), &[array, bias], &[])?;
    Ok(network.known(array))
}

/// One number for each channel, in a shape that goes together with that of images.
pub(super) fn channel(
    network: &mut Network,
    call: &Call,
    array: usize,
    shape: &[usize],
) -> Result<usize, OnnxError> {
    let mut own = vec![1; shape.len() - 1];
    own[0] = shape[1];
    match network.shape(array) {
        [length] if *length == shape[1] => network.reshape(call, array, &own),
        other => Err(call.wrong(format!("has an array of shape {other:?} for {} channels", shape[1]))),
    }
}

/// Of so many planes the kernels of a convolution of three dimensions may be.
const MOST_PLANES: usize = 128;

/// A convolution of two dimensions.
struct Convolution {
    program: Arc<Program>,
    groups: usize,
    kernels: usize,
}

impl Convolution {
    fn apply(
        &self,
        network: &mut Network,
        call: &Call,
        kernels: usize,
        x: usize,
        axes: [Axis; 2],
    ) -> Result<usize, OnnxError> {
        let mut sizes = sizes(axes);
        sizes.extend([("G", self.groups), ("M", self.kernels / self.groups)]);
        network.apply(call, &self.program, &sizes, &[kernels, x])
    }

    /// Of three dimensions: the sum over the planes of the kernels, each of which meets some planes of the images.
    fn of_planes(
        &self,
        network: &mut Network,
        call: &Call,
        kernels: usize,
        x: usize,
        axes: &[Axis],
    ) -> Result<usize, OnnxError> {
        let (depth, plane) = (axes[0], [axes[1], axes[2]]);
        let weights = network.shape(kernels).to_vec();
        // [N, D, C, H, W]: planes are images, of which the first and last are padding.
        let x = network.permute(call, x, &[0, 2, 1, 3, 4])?;
        let x = padded(network, call, x, depth)?;
        let shape = network.shape(x).to_vec();
        let span = (depth.kernel - 1) * depth.dilation + 1;
        let Some(moves) = shape[1].checked_sub(span) else {
            return Err(call.wrong(format!("has kernels of {span} planes for {}", shape[1])));
        };
        if depth.kernel > MOST_PLANES {
            let reason = format!(
                "has kernels of {} planes, each a convolution by itself: more than {MOST_PLANES} are not supported",
                depth.kernel
            );
            return Err(call.unsupported(reason));
        }
        let count = moves / depth.stride + 1;
        let mut sum = None;
        for k in 0..depth.kernel {
            let met = Slice { axis: 1, start: k * depth.dilation, step: depth.stride as isize, count };
            let images = network.slice(call, x, met)?;
            let images = network.reshape(call, images, &[shape[0] * count, shape[2], shape[3], shape[4]])?;
            let own = network.slice(call, kernels, Slice { axis: 2, start: k, step: 1, count: 1 })?;
            let own = network.reshape(call, own, &[weights[0], weights[1], weights[3], weights[4]])?;
            let part = self.apply(network, call, own, images, plane)?;
            sum = Some(match sum {
                None => part,
                Some(sum) => network.elementwise(call, scalar::add::program(), &[sum, part], &[])?,
            });
        }
        let sum = sum.ok_or_else(|| call.wrong("has kernels without elements"))?;
        let result = network.shape(sum).to_vec();
        let sum = network.reshape(call, sum, &[shape[0], count, result[1], result[2], result[3]])?;
        network.permute(call, sum, &[0, 2, 1, 3, 4])
    }
}

/// With planes of zeros at both ends of dimension 1.
fn padded(network: &mut Network, call: &Call, x: usize, axis: Axis) -> Result<usize, OnnxError> {
    let (before, after) = (axis.before as i64, axis.after as i64);
    if (before, after) == (0, 0) {
        return Ok(x);
    }
    let (scalar, rank) = (network.scalar(x), network.shape(x).len());
    let padding = lift_operators::layout::Padding::Value(0.0);
    let make = || lift_operators::layout::pad(scalar, rank, 1, (before, after), padding);
    let program =
        network.program(call, format!("pad {scalar} {rank} 1 {before} {after} {padding:?}"), make)?;
    network.apply(call, &program, &[], &[x])
}

fn conv_transposed(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let (mut x, mut kernels) = (network.floats(call, 0)?, network.floats(call, 1)?);
    let (shape, weights) = (network.shape(x).to_vec(), network.shape(kernels).to_vec());
    let ([n, channels], spatial) = split_shape(call, &shape)?;
    let groups = groups(call)?;
    if weights.len() != shape.len() || weights[0] != channels || !channels.is_multiple_of(groups) {
        let reason =
            format!("can't apply kernels of shape {weights:?} to shape {shape:?} in {groups} groups");
        return Err(call.wrong(reason));
    }
    let count = spatial.len();
    let kernel = numbers(call, "kernel_shape", count, 1, 1)?;
    if call.ints("kernel_shape")?.is_some() && kernel != weights[2..] {
        return Err(call.wrong(format!("has kernels of shape {weights:?}, not of {kernel:?}")));
    }
    let mut axes = spread_axes(call, spatial, &weights[2..])?;
    match count {
        1 => {
            x = network.reshape(call, x, &[n, channels, 1, shape[2]])?;
            kernels = network.reshape(call, kernels, &[weights[0], weights[1], 1, weights[2]])?;
            axes.insert(0, STILL);
        }
        2 => {}
        _ => return Err(call.unsupported("with 3 dimensions is not supported")),
    }
    let program = match groups {
        1 => window::conv_transposed::program(),
        _ => window::conv_transposed_grouped::program(),
    };
    let program = network.program(call, program.name().to_string(), || Ok(program.clone()))?;
    let mut sizes = sizes([axes[0], axes[1]]);
    sizes.extend([("OPH", axes[0].extra), ("OPW", axes[1].extra), ("G", groups), ("C", channels / groups)]);
    let mut array = network.apply(call, &program, &sizes, &[kernels, x])?;
    if count == 1 {
        array = without_rows(network, call, array)?;
    }
    biased(network, call, array)
}

/// How the windows of a transposed convolution move; `extra` are elements more at the end of its result.
fn spread_axes(call: &Call, spatial: &[usize], kernel: &[usize]) -> Result<Vec<Axis>, OnnxError> {
    let count = spatial.len();
    let strides = numbers(call, "strides", count, 1, 1)?;
    let dilations = numbers(call, "dilations", count, 1, 1)?;
    let pads = numbers(call, "pads", 2 * count, 0, 0)?;
    let more = numbers(call, "output_padding", count, 0, 0)?;
    let auto = call.text("auto_pad", "NOTSET")?;
    let wanted = match call.ints("output_shape")? {
        // Old versions name the outer dimensions, too.
        Some(shape) if shape.len() == count + 2 => Some(shape[2..].to_vec()),
        Some(shape) if shape.len() == count => Some(shape.to_vec()),
        Some(shape) => return Err(call.wrong(format!("wants a result of shape {}", few(shape)))),
        None => None,
    };
    let mut axes = vec![];
    for d in 0..count {
        let mut axis = Axis {
            kernel: kernel[d],
            stride: strides[d],
            dilation: dilations[d],
            before: pads[d],
            after: pads[count + d],
            extra: more[d],
        };
        // What is too large for the machine is refused by the program.
        let reach = (spatial[d] - 1).saturating_mul(axis.stride);
        let whole = reach.saturating_add((axis.kernel - 1) * axis.dilation + 1 + axis.extra);
        let length = match (&wanted, auto) {
            (Some(wanted), _) => Some(
                usize::try_from(wanted[d])
                    .map_err(|_| call.wrong(format!("wants a result of shape {wanted:?}")))?,
            ),
            (None, "" | "NOTSET") => None,
            (None, "VALID") => {
                (axis.before, axis.after) = (0, 0);
                None
            }
            (None, "SAME_UPPER" | "SAME_LOWER") => Some(spatial[d].saturating_mul(axis.stride)),
            (None, other) => {
                return Err(call.unsupported_with("auto_pad", format!("= `{other}` is not known")));
            }
        };
        if let Some(length) = length {
            // What is too much is cut off at both ends; what is too little is added at the end.
            let total = whole.saturating_sub(length);
            axis.extra = axis.extra.saturating_add(length.saturating_sub(whole));
            let (less, rest) = (total / 2, total - total / 2);
            (axis.before, axis.after) = if auto == "SAME_UPPER" { (less, rest) } else { (rest, less) };
        }
        axes.push(axis);
    }
    Ok(axes)
}

// Pooling.

/// How windows of the node's own sizes move.
fn pooled(call: &Call, spatial: &[usize]) -> Result<Vec<Axis>, OnnxError> {
    if call.ints("kernel_shape")?.is_none() {
        return Err(call.wrong("does not say how large its windows are"));
    }
    let kernel = numbers(call, "kernel_shape", spatial.len(), 1, 1)?;
    axes(call, spatial, &kernel, call.flag("ceil_mode", false)?)
}

/// Pooling by a program of two dimensions, with a number as its first argument if it takes one.
///
/// Of more than two dimensions it must be one that can go over them one after the other.
fn pool(
    network: &mut Network,
    call: &Call,
    program: &Program,
    number: Option<f32>,
) -> Result<Known, OnnxError> {
    let x = network.floats(call, 0)?;
    let shape = network.shape(x).to_vec();
    let ([n, c], spatial) = split_shape(call, &shape)?;
    let mut axes = pooled(call, spatial)?;
    let program = network.program(call, program.name().to_string(), || Ok(program.clone()))?;
    let separately = program.free_sizes().iter().any(|size| &*size.var.name == "EB");
    if !separately {
        // What is added at the end does not count, as padding does not.
        axes.iter_mut().for_each(|axis| axis.after += std::mem::take(&mut axis.extra));
    }
    let number = number.map(|number| network.number(number));
    let once = |network: &mut Network, x: usize, axes: [Axis; 2]| {
        let arguments: Vec<usize> = number.into_iter().chain([x]).collect();
        network.apply(call, &program, &sizes(axes), &arguments)
    };
    let array = match axes[..] {
        [w] => {
            let row = network.reshape(call, x, &[n, c, 1, shape[2]])?;
            let row = once(network, row, [STILL, w])?;
            without_rows(network, call, row)?
        }
        [h, w] => once(network, x, [h, w])?,
        _ => {
            let planes = network.reshape(call, x, &[n, c * shape[2], shape[3], shape[4]])?;
            let planes = once(network, planes, [axes[1], axes[2]])?;
            let [_, _, h, w] = network.shape(planes)[..] else { return Err(call.wrong("has no planes")) };
            let columns = network.reshape(call, planes, &[n, c, shape[2], h * w])?;
            let columns = once(network, columns, [axes[0], STILL])?;
            let depth = network.shape(columns)[2];
            network.reshape(call, columns, &[n, c, depth, h, w])?
        }
    };
    Ok(network.known(array))
}

fn average_pool(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    match call.flag("count_include_pad", false)? {
        true => pool(network, call, window::average_pool_padded::program(), None),
        false => pool(network, call, window::average_pool::program(), None),
    }
}

fn lp_pool(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let p = call.int("p", 2)?;
    pool(network, call, window::lp_pool::program(), Some(p as f32))
}

/// One number for each channel of each image.
fn global(network: &mut Network, call: &Call, program: &Program) -> Result<Known, OnnxError> {
    let x = network.floats(call, 0)?;
    let shape = network.shape(x).to_vec();
    let [n, c, spatial @ ..] = &shape[..] else {
        return Err(call.wrong(format!("needs channels of images, not shape {shape:?}")));
    };
    let axes: Vec<usize> = (2..2 + spatial.len()).collect();
    let array = if axes.is_empty() { x } else { network.over(call, program, x, &axes)? };
    let mut result = vec![1; shape.len()];
    result[..2].copy_from_slice(&[*n, *c]);
    network.shaped(call, array, &result)
}
