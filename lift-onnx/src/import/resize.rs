//! Images in another size: along each dimension by itself, elements of the result are copies of others or sums of a few.

use super::layout::along;
use super::network::Network;
use crate::call::{Call, Known};
use crate::error::OnnxError;
use crate::tensor::Tensor;
use lift_core::types::Scalar;
use lift_operators::layout::{Coordinates, Nearest, Resize, resize_linear, resize_nearest};
use lift_operators::matrix;
use ndarray::Array2;

pub(super) fn apply(network: &mut Network, call: &Call) -> Result<Option<Vec<Known>>, OnnxError> {
    let one = match call.operator() {
        "Resize" | "Upsample" => resize(network, call)?,
        _ => return Ok(None),
    };
    Ok(Some(vec![one]))
}

/// How one dimension changes.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    axis: usize,
    from: usize,
    to: usize,
    /// What the result's places are divided by.
    scale: f64,
}

impl Stretch {
    /// Is the length exactly what the scale makes of it?
    fn is_exact(self) -> bool {
        self.scale == self.to as f64 / self.from as f64
    }
}

fn resize(network: &mut Network, call: &Call) -> Result<Known, OnnxError> {
    let known = call.input(0)?.clone();
    let places = Places::of(call)?;
    // Exporters give every mode what only one of them reads.
    let coefficient = f64::from(call.float("cubic_coeff_a", -0.75)?);
    let kernel = match call.text("mode", "nearest")? {
        "nearest" => None,
        "linear" | "bilinear" => Some(Kernel::Linear),
        "cubic" => Some(Kernel::Cubic(coefficient)),
        other => return Err(call.unsupported_with("mode", format!("= `{other}` is not supported"))),
    };
    let rounding = rounding(call)?;
    let excludes = call.flag("exclude_outside", false)?;
    if call.flag("antialias", false)? {
        return Err(call.unsupported_with("antialias", "is not supported"));
    }
    // Only said of places outside, which these modes do not have.
    call.ignore("extrapolation_value");
    let stretches = stretches(call, &known.shape)?;
    let mut array = if kernel.is_some() { network.floats(call, 0)? } else { network.any(call, 0)? };
    for stretch in stretches {
        if stretch.from == stretch.to && stretch.scale == 1.0 {
            continue;
        }
        let place = |i: usize| places.original(i, stretch);
        // The nearest place is none outside.
        let plain = kernel.is_none() || !excludes && matches!(kernel, Some(Kernel::Linear));
        if let (true, Some(coordinates)) = (plain, places.coordinates(stretch)) {
            let nearest = if kernel.is_none() { Some(rounding) } else { None };
            array = resized(network, call, array, stretch, coordinates, nearest)?;
            continue;
        }
        array = match kernel {
            None => {
                call.allocate(&[stretch.to], Scalar::I64)?;
                let last = (stretch.from - 1) as f64;
                let indices: Vec<usize> =
                    (0..stretch.to).map(|i| rounded(place(i), rounding).clamp(0.0, last) as usize).collect();
                along(network, call, array, stretch.axis, &indices)?
            }
            Some(kernel) => {
                call.allocate(&[stretch.to, stretch.from], Scalar::F64)?;
                let weights = Array2::from_shape_vec(
                    (stretch.to, stretch.from),
                    (0..stretch.to).flat_map(|i| kernel.weights(place(i), stretch.from, excludes)).collect(),
                );
                let weights = weights.map_err(|e| call.wrong(e.to_string()))?;
                summed(network, call, array, stretch.axis, weights)?
            }
        };
    }
    Ok(network.known(array))
}

/// The dimensions that change, from scales or sizes.
fn stretches(call: &Call, shape: &[usize]) -> Result<Vec<Stretch>, OnnxError> {
    let axes = match call.ints("axes")? {
        Some(axes) => call.axes(axes, shape.len())?,
        None => (0..shape.len()).collect(),
    };
    let policy = call.text("keep_aspect_ratio_policy", "stretch")?;
    let filled = |at: usize| call.optional(at).is_some_and(|input| input.shape != [0]);
    let newer = call.operator() == "Resize" && call.opset >= 11;
    let scales = match (call.floats("scales")?, newer) {
        (Some(scales), _) => Some(scales.to_vec()),
        (None, true) if !filled(2) => None,
        (None, newer) => {
            let at = if newer { 2 } else { 1 };
            match call.constant(at)? {
                Tensor::F32(scales) => Some(scales.iter().copied().collect()),
                other => return Err(call.wrong(format!("has scales of type {}", other.scalar()))),
            }
        }
    };
    let sizes = if newer && filled(3) { Some(call.numbers(3)?) } else { None };
    let mismatch = |count: usize| call.wrong(format!("has {count} numbers for {} dimensions", axes.len()));
    let too_large =
        |axis: usize| call.wrong(format!("makes dimension {axis} of shape {shape:?} too large or empty"));
    // Nothing as large would fit into memory.
    let length = |axis: usize, length: f64| match length {
        1.0..=1e12 => Ok(length as usize),
        _ => Err(too_large(axis)),
    };
    let mut stretches = vec![];
    match (scales, sizes) {
        (Some(scales), _) => {
            if scales.len() != axes.len() {
                return Err(mismatch(scales.len()));
            }
            for (axis, scale) in axes.iter().copied().zip(scales) {
                let (from, scale) = (shape[axis], f64::from(scale));
                // Scales are numbers of 32 bits: a product that is nearly whole is meant to be.
                let to = length(axis, (from as f64 * scale + 1e-6 * from as f64).floor())?;
                stretches.push(Stretch { axis, from, to, scale });
            }
        }
        (None, Some(sizes)) => {
            if sizes.len() != axes.len() {
                return Err(mismatch(sizes.len()));
            }
            let ratios: Vec<f64> =
                axes.iter().zip(&sizes).map(|(axis, n)| *n as f64 / shape[*axis] as f64).collect();
            let common = match policy {
                "stretch" => None,
                "not_larger" => ratios.iter().copied().reduce(f64::min),
                "not_smaller" => ratios.iter().copied().reduce(f64::max),
                other => {
                    let reason = format!("= `{other}` is not known");
                    return Err(call.unsupported_with("keep_aspect_ratio_policy", reason));
                }
            };
            for ((axis, size), ratio) in axes.iter().copied().zip(sizes).zip(ratios) {
                let from = shape[axis];
                let to = common.map_or(size as f64, |ratio| (ratio * from as f64).round());
                stretches.push(Stretch { axis, from, to: length(axis, to)?, scale: common.unwrap_or(ratio) });
            }
        }
        (None, None) => return Err(call.wrong("has neither scales nor sizes")),
    }
    Ok(stretches)
}

/// Where an element of the result lies in the array.
#[derive(Clone, Copy)]
enum Places {
    Asymmetric,
    HalfPixel,
    HalfPixelSymmetric,
    PytorchHalfPixel,
    AlignCorners,
}

impl Places {
    fn of(call: &Call) -> Result<Places, OnnxError> {
        let old = call.operator() == "Upsample" || call.opset < 11;
        let mode =
            call.text("coordinate_transformation_mode", if old { "asymmetric" } else { "half_pixel" })?;
        Ok(match mode {
            "asymmetric" => Places::Asymmetric,
            "half_pixel" => Places::HalfPixel,
            "half_pixel_symmetric" => Places::HalfPixelSymmetric,
            "pytorch_half_pixel" => Places::PytorchHalfPixel,
            "align_corners" => Places::AlignCorners,
            other => {
                let reason = format!("= `{other}` is not supported");
                return Err(call.unsupported_with("coordinate_transformation_mode", reason));
            }
        })
    }

    /// The same for programs, which have most of them.
    fn coordinates(self, stretch: Stretch) -> Option<Coordinates> {
        match self {
            Places::Asymmetric => Some(Coordinates::Asymmetric),
            Places::HalfPixel => Some(Coordinates::HalfPixel),
            Places::PytorchHalfPixel => Some(Coordinates::PytorchHalfPixel),
            Places::AlignCorners => stretch.is_exact().then_some(Coordinates::AlignCorners),
            Places::HalfPixelSymmetric => None,
        }
    }

    fn original(self, i: usize, stretch: Stretch) -> f64 {
        let Stretch { from, to, scale, .. } = stretch;
        let (i, from, to) = (i as f64, from as f64, to as f64);
        match self {
            Places::Asymmetric => i / scale,
            Places::HalfPixel => (i + 0.5) / scale - 0.5,
            Places::PytorchHalfPixel if to <= 1.0 => 0.0,
            Places::PytorchHalfPixel => (i + 0.5) / scale - 0.5,
            Places::AlignCorners => {
                // The length before it was rounded, as ONNX's own tests have it.
                let whole = if stretch.is_exact() { to } else { scale * from };
                if whole <= 1.0 { 0.0 } else { i * (from - 1.0) / (whole - 1.0) }
            }
            Places::HalfPixelSymmetric => {
                // The middle stays in the middle, also where the length was rounded.
                let offset = from / 2.0 * (1.0 - to / (scale * from));
                offset + (i + 0.5) / scale - 0.5
            }
        }
    }
}

/// Which whole number is meant.
fn rounding(call: &Call) -> Result<Nearest, OnnxError> {
    let mode = call.text("nearest_mode", if call.opset < 11 { "floor" } else { "round_prefer_floor" })?;
    Ok(match mode {
        "floor" => Nearest::Floor,
        "ceil" => Nearest::Ceil,
        "round_prefer_floor" => Nearest::PreferFloor,
        "round_prefer_ceil" => Nearest::PreferCeil,
        other => return Err(call.unsupported_with("nearest_mode", format!("= `{other}` is not known"))),
    })
}

fn rounded(x: f64, nearest: Nearest) -> f64 {
    match nearest {
        Nearest::Floor => x.floor(),
        Nearest::Ceil => x.ceil(),
        Nearest::PreferFloor => (x - 0.5).ceil(),
        Nearest::PreferCeil => (x + 0.5).floor(),
    }
}

/// What elements around a place count.
#[derive(Clone, Copy)]
enum Kernel {
    Linear,
    /// Of third degree, with the number that says how much it overshoots.
    Cubic(f64),
}

impl Kernel {
    /// The weight of each of `length` elements. What lies outside counts for the element at the end, or not at all.
    fn weights(self, place: f64, length: usize, excludes: bool) -> Vec<f32> {
        let mut weights = vec![0.0; length];
        let first = place.floor();
        let t = place - first;
        let taps: Vec<(f64, f64)> = match self {
            Kernel::Linear => vec![(0.0, 1.0 - t), (1.0, t)],
            Kernel::Cubic(a) => {
                let near = |x: f64| ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
                let far = |x: f64| ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
                vec![(-1.0, far(t + 1.0)), (0.0, near(t)), (1.0, near(1.0 - t)), (2.0, far(2.0 - t))]
            }
        };
        let last = (length - 1) as f64;
        for (offset, weight) in taps {
            let at = first + offset;
            if !excludes || (0.0..=last).contains(&at) {
                weights[at.clamp(0.0, last) as usize] += weight;
            }
        }
        let sum: f64 = weights.iter().sum();
        let norm = if excludes && sum != 0.0 { sum } else { 1.0 };
        weights.into_iter().map(|weight| (weight / norm) as f32).collect()
    }
}

/// Copies of the nearest elements, or sums of two.
fn resized(
    network: &mut Network,
    call: &Call,
    array: usize,
    stretch: Stretch,
    coordinates: Coordinates,
    nearest: Option<Nearest>,
) -> Result<usize, OnnxError> {
    let Stretch { axis, from, to, scale } = stretch;
    let resize = Resize { from, to, scale: (!stretch.is_exact()).then_some(scale), coordinates };
    let (scalar, rank) = (network.scalar(array), network.shape(array).len());
    let key = format!("resize {scalar} {rank} {axis} {resize:?} {nearest:?}");
    let program = network.program(call, key, || match nearest {
        Some(nearest) => resize_nearest(scalar, rank, axis, resize, nearest),
        None => resize_linear(scalar, rank, axis, resize),
    })?;
    network.apply(call, &program, &[], &[array])
}

/// Sums of elements along an axis with these weights: a product with a matrix.
fn summed(
    network: &mut Network,
    call: &Call,
    array: usize,
    axis: usize,
    weights: Array2<f32>,
) -> Result<usize, OnnxError> {
    let rank = network.shape(array).len();
    let order: Vec<usize> = (0..rank).filter(|d| *d != axis).chain([axis]).collect();
    let permuted = network.permute(call, array, &order)?;
    let mut shape = network.shape(permuted).to_vec();
    let (to, from) = weights.dim();
    let rows = shape[..rank - 1].iter().product();
    let matrix = network.reshape(call, permuted, &[rows, from])?;
    let weights = network.array(call, &Known::from(Tensor::F32(weights.into_dyn().into_shared())))?;
    let key = matrix::matmul_nt::program().name().to_string();
    let program = network.program(call, key, || Ok(matrix::matmul_nt::program().clone()))?;
    let product = network.apply(call, &program, &[], &[matrix, weights])?;
    shape[rank - 1] = to;
    let product = network.reshape(call, product, &shape)?;
    let back: Vec<usize> = (0..axis).chain([rank - 1]).chain(axis..rank - 1).collect();
    network.permute(call, product, &back)
}
