//! What a network is given: arrays from files, pictures, or random numbers.

use crate::flags::Pixels;
use image::imageops::FilterType;
use lift::ndarray::{Array, ArrayD, IxDyn};
use lift::{Argument, Parameter};
use lift_core::types::Scalar;
use std::path::Path;

/// The mean and the deviation of each channel in ImageNet, red first, of 0 to 1.
const MEAN: [f32; 3] = [0.485, 0.456, 0.406];
const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];
/// The mean that Caffe's networks were trained with, blue first, of 0 to 255.
const CAFFE: [f32; 3] = [103.939, 116.779, 123.68];
/// The part of a picture's shorter side that is looked at: 224 of 256.
const CROPPED: f32 = 0.875;

/// From a file.
pub fn read(path: &Path, parameter: &Parameter, pixels: Pixels) -> Result<Argument<'static>, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy")) {
        return match parameter.scalar {
            Scalar::F32 => {
                ndarray_npy::read_npy::<_, ArrayD<f32>>(path).map(Argument::from).map_err(|e| wrong(&e))
            }
            Scalar::I64 => {
                ndarray_npy::read_npy::<_, ArrayD<i64>>(path).map(Argument::from).map_err(|e| wrong(&e))
            }
            other => Err(format!("`{}` holds {other}, which is not read from files", parameter.name)),
        };
    }
    let [1, channels @ (1 | 3), height, width] = parameter.shape[..] else {
        return Err(format!("`{}` is {}, and no picture", parameter.name, shown(parameter)));
    };
    let picture = image::open(path).map_err(|e| wrong(&e))?.to_rgb8();
    // The middle of the picture, as the classifier's authors test it.
    let side = ((picture.width() as f32 / width as f32).min(picture.height() as f32 / height as f32)
        * CROPPED)
        .max(f32::EPSILON);
    let (w, h) = ((width as f32 * side) as u32, (height as f32 * side) as u32);
    let (left, top) =
        ((picture.width() - w.min(picture.width())) / 2, (picture.height() - h.min(picture.height())) / 2);
    let middle = image::imageops::crop_imm(&picture, left, top, w.max(1), h.max(1)).to_image();
    let small = image::imageops::resize(&middle, width as u32, height as u32, FilterType::Triangle);
    let number = |channel: usize, value: u8| match pixels {
        Pixels::Imagenet => (f32::from(value) / 255.0 - MEAN[channel]) / DEVIATION[channel],
        Pixels::Unit => f32::from(value) / 255.0,
        Pixels::Signed => f32::from(value) / 127.5 - 1.0,
        Pixels::Caffe => f32::from(value) - CAFFE[channel],
    };
    let array = Array::from_shape_fn([1, channels, height, width], |(_, channel, y, x)| {
        let pixel = small.get_pixel(x as u32, y as u32).0;
        let source = if matches!(pixels, Pixels::Caffe) { 2 - channel } else { channel };
        number(channel, pixel[source])
    });
    Ok(array.into_dyn().into())
}

/// Random numbers: floats from -1 to 1, whole numbers 0 and 1.
pub fn random(parameter: &Parameter, random: &mut fastrand::Rng) -> Result<Argument<'static>, String> {
    let shape = IxDyn(&parameter.shape);
    match parameter.scalar {
        Scalar::F32 => Ok(Array::from_shape_simple_fn(shape, || random.f32() * 2.0 - 1.0).into()),
        Scalar::F64 => Ok(Array::from_shape_simple_fn(shape, || random.f64() * 2.0 - 1.0).into()),
        Scalar::I64 => Ok(Array::from_shape_simple_fn(shape, || random.i64(0..2)).into()),
        Scalar::I32 => Ok(Array::from_shape_simple_fn(shape, || random.i32(0..2)).into()),
        Scalar::Bool => Ok(Array::from_shape_simple_fn(shape, || random.bool()).into()),
        other => Err(format!("`{}` holds {other}: give it a file", parameter.name)),
    }
}

pub fn shown(parameter: &Parameter) -> String {
    let lengths: Vec<String> = parameter.shape.iter().map(usize::to_string).collect();
    format!("{} of {}", lengths.join(" × "), parameter.scalar)
}
