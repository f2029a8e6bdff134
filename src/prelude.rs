//! What a program needs: the macro, devices, and `ndarray`'s own prelude.
//!
//! `use lift::prelude::*;`

pub use crate::{Device, lift};
pub use half::f16;
pub use ndarray::prelude::*;
