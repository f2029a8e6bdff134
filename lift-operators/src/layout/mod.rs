//! Arrays in other shapes and orders: for any number of dimensions and any type of elements.
//!
//! Programs of this module take an array `x`, whose dimensions have the sizes `D0`, `D1`, … where they are not given as
//! numbers. Nothing is moved by them: what reads their result reads its elements where they lie.
//!
//! ```
//! use lift_operators::layout::{self, Coordinates, Nearest, Resize};
//! use lift_operators::Scalar;
//!
//! let channels_last = layout::permute(Scalar::F32, &[0, 2, 3, 1])?;
//! assert_eq!(channels_last.result().to_string(), "[[[[f32; D1]; D3]; D2]; D0]");
//! let both = layout::concat(Scalar::F32, 4, 1, 2)?;
//! assert_eq!(both.result().to_string(), "[[[[f32; D3]; D2]; A0 + A1]; D0]");
//! let resize = Resize { from: 7, to: 14, scale: None, coordinates: Coordinates::Asymmetric };
//! let wider = layout::resize_nearest(Scalar::F32, 4, 3, resize, Nearest::Floor)?;
//! assert_eq!(wider.result().to_string(), "[[[[f32; 14]; D2]; D1]; D0]");
//! # Ok::<(), lift_operators::OperatorError>(())
//! ```

mod joined;
mod moved;
mod padded;
mod resized;
mod shape;

pub use joined::{concat, gather, tile};
pub(crate) use moved::permuted;
pub use moved::{BlockOrder, depth_to_space, permute, slice, space_to_depth};
pub use padded::{Padding, pad};
pub use resized::{Coordinates, Nearest, Resize, resize_linear, resize_nearest};
pub use shape::{expand, reshape};
