//! Array programs — convolutions, stencils, matrix products — written once, as functional
//! expressions whose shapes are checked while they compile, and run everywhere OpenCL does, or on
//! the CPU with nothing but a C compiler.
//!
//! ```no_run
//! use lift::prelude::*;
//!
//! lift! {
//!     /// A convolution layer, channels last: 1 row and column of zeros all around.
//!     pub fn conv_layer<K, KH, KW, C, H, W>(
//!         kernels: [[[[f32; C]; KW]; KH]; K],
//!         biases: [f32; K],
//!         input: [[[f32; C]; W]; H],
//!     ) -> [[[f32; K]; W - KW + 3]; H - KH + 3]
//!     where
//!         KH <= H + 2,
//!         KW <= W + 2,
//!     {
//!         let padded = pad2D(1, 1, 1, 1, 0.0, input);
//!         let windows = slide2D((KH, KW), (1, 1), padded);
//!         map2D(
//!             |window| map(
//!                 |(kernel, bias)| reduce(
//!                     bias,
//!                     |acc, (x, w)| acc + x * w,
//!                     zip(join(join(window)), join(join(kernel))),
//!                 ),
//!                 zip(kernels, biases),
//!             ),
//!             windows,
//!         )
//!     }
//! }
//!
//! # fn main() -> Result<(), lift::Error> {
//! let (kernels, biases) = (Array4::<f32>::ones((64, 3, 3, 3)), Array1::<f32>::zeros(64));
//! let image = Array3::<f32>::ones((224, 224, 3));
//!
//! let device = Device::best()?; // a GPU if there is one, else the built-in CPU device
//! let output: Array3<f32> = conv_layer(&device, kernels.view(), biases.view(), image.view())?;
//! assert_eq!(output.dim(), (224, 224, 64));
//!
//! // Built once, run often:
//! let sizes = conv_layer::Sizes { K: 64, KH: 3, KW: 3, C: 3, H: 224, W: 224 };
//! let layer = conv_layer::compile(&device, sizes)?;
//! let (mut output, times) = layer.run_timed(kernels.view(), biases.view(), image.view())?;
//! println!("{:?} in {:?}", output.dim(), times.total());
//! // Into the same array again: a large one takes as long to get from the system as to fill.
//! layer.run_into(kernels.view(), biases.view(), image.view(), &mut output)?;
//! // On arrays that stay on the device, without copies in between:
//! let image = device.upload(&image)?;
//! let output = layer.run_there(kernels.view(), biases.view(), &image)?; // a `DeviceArray`, for the next layer
//! let output: Array3<f32> = output.download()?;
//! # Ok(())
//! # }
//! ```
//!
//! # What `lift!` makes of a function
//! For each function of the block, with its documentation, attributes and visibility:
//! * a Rust function that takes a [`Device`], then each size that no argument's shape determines (as a
//!   `usize`, in the order of `<…>`), then the parameters: scalars by value, arrays as
//!   [`ndarray`] views whose rank is in the type and whose layout may be any. The result is a scalar,
//!   an `ndarray` array, or a tuple of these;
//! * a module of the same name: `Sizes` with a field for each size parameter but `tune` ones, `compile` for a program
//!   that is built once and run often (on the host's arrays, and by `run_there` on a [`DeviceArray`], too), `tuning` and `best` for the form of it that is fastest (see
//!   [`tune`]), and `program`, the checked program itself.
//!
//! A private function whose result only other functions of the block can take, such as an array of
//! tuples, has no such items.
//!
//! # The expression form
//! A single function can stand where it is used, without a name and without the type of its result.
//! Its sizes are those in the types of its parameters, and those in `<…>` before them. The value
//! is a [`Lifted`]: it is called like the function, and has its [`program`](Lifted::program).
//!
//! ```
//! use lift::prelude::*;
//!
//! # fn main() -> Result<(), lift::Error> {
//! let device = Device::cpu();
//! let square = lift!(|xs: [f32; N]| map(|x| x * x, xs));
//! assert_eq!(square(&device, array![1.0, 2.0].view())?, array![1.0, 4.0]);
//! assert_eq!(square.program().result().to_string(), "[f32; N]");
//!
//! let ramp = lift!(<N> |slope: f32| generate(N, |i| slope * i as f32));
//! assert_eq!(ramp(&device, 3, 0.5)?, array![0.0, 0.5, 1.0]);
//! # Ok(())
//! # }
//! ```

#[doc(hidden)]
pub mod __private;
pub mod book;
pub mod prelude;
#[rustfmt::skip]
pub mod primitives;

pub use half;
pub use lift_core::compile as plan;
pub use lift_core::constraints;
pub use lift_core::explain::explain;
pub use lift_core::expr::Function;
pub use lift_core::kernel::{Memory, Plan, Purpose};
pub use lift_core::pipeline::lowered;
pub use lift_core::program::SizeError;
pub use lift_core::schedules;
pub use lift_core::target;
pub use lift_core::tune::choose::tuned;
pub use lift_core::{CompileError, ComposeError, Program, Sizes};
pub use lift_macros::lift;
pub use lift_runtime::{
    Argument, Compiled, Destination, Device, DeviceArray, DeviceOutput, Element, Error, Export, Kind, Lifted,
    Output, Parameter, Passed, Settings, Times, compile, drivers, graph, interpret, run, tune,
};
pub use ndarray;
