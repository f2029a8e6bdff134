//! Devices for `lift`: OpenCL drivers and a built-in CPU device, and compiled kernels, remembered.
//!
//! [`Device`] is where a program runs, [`Entry`] a program that `lift!` embedded, [`Compiled`] a
//! program built for one device at fixed sizes, [`DeviceArray`] an array that stays on a device. A program made at run time goes through [`run`]
//! and [`compile`].
//!
//! Nothing here knows what a program computes: the input is a [`lift_core::kernel::Plan`].

mod argument;
mod built;
mod cache;
mod compiled;
mod destination;
mod device;
mod device_array;
mod entry;
mod error;
mod export;
pub mod graph;
mod host;
mod output;
mod passed;
mod reference;
mod remembered;
mod settings;
mod signature;
mod there;
mod threads;
mod times;
mod trust;
pub mod tune;

/// What there is of OpenCL on a machine, and what is missing.
///
/// ```
/// let found = lift_runtime::drivers::find();
/// // The places where OpenCL's library was looked for, the drivers, their devices and, if there is none, why.
/// println!("{found}");
/// ```
pub mod drivers {
    pub use crate::device::drivers::{Drivers, IcdFile, Platform, find};
    pub use crate::device::{Library, State};
}

pub use argument::{Argument, Element};
pub use compiled::Compiled;
pub use destination::Destination;
pub use device::{Device, Kind};
pub use device_array::DeviceArray;
pub use entry::{Entry, Lifted, compile, run};
pub use error::{Error, NoDriver};
pub use export::Export;
pub use output::Output;
pub use passed::Passed;
pub use reference::interpret;
pub use settings::Settings;
pub use signature::{Parameter, Signature};
pub use there::DeviceOutput;
pub use times::Times;

/// Calls a macro with every scalar type: its name in [`lift_core::types::Scalar`], its Rust type,
/// the type that stands for it in memory that a kernel writes, and the way from there.
///
/// A `bool` must be 0 or 1, which Rust cannot believe of foreign code: it is read as a byte.
macro_rules! with_scalars {
    ($apply:ident) => {
        $apply! {
            Bool bool u8 (|bytes: Vec<u8>| bytes.into_iter().map(|b| b != 0).collect()),
            I8 i8 i8 (std::convert::identity),
            U8 u8 u8 (std::convert::identity),
            I16 i16 i16 (std::convert::identity),
            U16 u16 u16 (std::convert::identity),
            I32 i32 i32 (std::convert::identity),
            U32 u32 u32 (std::convert::identity),
            I64 i64 i64 (std::convert::identity),
            U64 u64 u64 (std::convert::identity),
            F16 f16 f16 (std::convert::identity),
            F32 f32 f32 (std::convert::identity),
            F64 f64 f64 (std::convert::identity),
        }
    };
}
pub(crate) use with_scalars;

// Plans made by hand, which the tests of the whole crate use as well.
#[cfg(test)]
extern crate self as lift_runtime;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod tests;
