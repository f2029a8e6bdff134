//! Arrays in other shapes and orders: for any number of dimensions and any type of elements.
//!
//! Programs of this module take an array `x`, whose dimensions have the sizes `D0`, `D1`, … where they are not given as
//! numbers. Nothing is moved by them: what reads their result reads its elements where they lie.

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
