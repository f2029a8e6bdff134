//! Programs as users write them, each with a plain loop nest over `f64` that says what it must
//! give. The loop nests share nothing with the compiler: they are the measure of it.

// Each test binary uses its own part of this.
#![allow(dead_code)]

pub mod best;
pub mod convolution;
pub mod forms;
pub mod general;
pub mod image;
pub mod iterative;
pub mod linear;
pub mod pooling;
pub mod softmax;
pub mod stencil;
pub mod sums;
pub mod transposed;

use lift::Program;
use ndarray::{ArrayD, ArrayView, Dimension};

/// From the sizes and the arguments to the results.
pub type Reference = fn(&[usize], &[ArrayD<f64>]) -> Vec<ArrayD<f64>>;

/// A program, shapes to try it on, and what it must give.
pub struct Case {
    pub program: fn() -> &'static Program,
    /// The largest value to try of each size, in the order of the program's `<…>`.
    pub largest: &'static [usize],
    /// Floating-point arguments are drawn from here, integers from all values of their type that it
    /// holds.
    pub range: (f64, f64),
    pub expected: Reference,
}

/// Mostly positive numbers: sums of them do not cancel, so that a relative error means something.
pub const NUMBERS: (f64, f64) = (-0.25, 1.0);

/// Every byte.
pub const BYTES: (f64, f64) = (0.0, 255.0);

/// The programs by family, each a file of this folder.
pub const FAMILIES: [(&str, &[Case]); 12] = [
    ("best", best::CASES),
    ("convolution", convolution::CASES),
    ("forms", forms::CASES),
    ("general", general::CASES),
    ("image", image::CASES),
    ("iterative", iterative::CASES),
    ("linear", linear::CASES),
    ("pooling", pooling::CASES),
    ("softmax", softmax::CASES),
    ("stencil", stencil::CASES),
    ("sums", sums::CASES),
    ("transposed", transposed::CASES),
];

pub fn all() -> impl Iterator<Item = &'static Case> {
    FAMILIES.iter().flat_map(|(_, cases)| cases.iter())
}

/// An argument with its number of dimensions known.
fn view<D: Dimension>(argument: &ArrayD<f64>) -> ArrayView<'_, f64, D> {
    argument.view().into_dimensionality().expect("the program's type says how many dimensions it has")
}

/// The value of a scalar argument.
fn scalar(argument: &ArrayD<f64>) -> f64 {
    argument.iter().copied().next().expect("a scalar is an array of no dimensions")
}

/// The one result of a program.
fn one<D: Dimension>(result: ndarray::Array<f64, D>) -> Vec<ArrayD<f64>> {
    vec![result.into_dyn()]
}
