//! Operators of neural networks, each a checked program of `lift`.
//!
//! Arrays are row-major with channels first and the batch outermost: `[[[[f32; W]; H]; C]; N]`. A program does one thing: a
//! convolution has no bias, and no activation. What is put together of programs is fused when it is compiled.
//!
//! ```
//! use lift::prelude::*;
//! use lift_operators::{elementwise, scalar, window};
//!
//! // A convolution whose results an activation is applied to, in one program.
//! let activation = elementwise(scalar::relu::program(), 4, &[vec![true; 4]])?;
//! let layer = activation.of("x", window::conv::program())?;
//! let (kernels, x) = (Array4::<f32>::ones((1, 1, 2, 2)), Array4::<f32>::ones((1, 1, 3, 3)) - 0.5);
//! // Strides, dilations and padding, in the order of the program's sizes.
//! let sizes = [1, 1, 1, 1, 0, 0, 0, 0];
//! let y = lift::run(&layer, &Device::cpu(), &sizes, &[(&kernels).into(), (&x).into()])?.remove(0);
//! assert_eq!(y.into_array::<f32>()?, Array4::<f32>::from_elem((1, 1, 2, 2), 2.0).into_dyn());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`scalar`]: functions of numbers, and [`elementwise()`], which makes functions of arrays of them;
//! * [`window`]: convolutions and pooling;
//! * [`matrix`]: products of matrices;
//! * [`rows`]: functions of rows, and [`along()`] and [`over()`], which apply them along any axes;
//! * [`norm`]: normalisation of images and of groups of their channels;
//! * [`layout`]: other shapes and orders, padding, parts of arrays and several arrays as one.

mod along;
mod build;
mod elementwise;
mod error;
pub mod layout;
pub mod matrix;
pub mod norm;
pub mod rows;
pub mod scalar;
pub mod window;

pub use along::{along, over};
pub use elementwise::elementwise;
pub use error::OperatorError;
pub use lift_core::types::Scalar;
