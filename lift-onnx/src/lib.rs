//! Networks in ONNX's format as graphs of `lift`'s programs.
//!
//! ```no_run
//! use lift::prelude::*;
//! use lift_onnx::Model;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = Model::read("resnet50.onnx")?;
//! // A number for each dimension that the model leaves open.
//! let graph = model.graph(&[("batch", 1)])?;
//! let network = graph.compile(&Device::best()?, &[])?;
//! let image = Array4::<f32>::zeros((1, 3, 224, 224));
//! let outputs = network.run(&[(&image).into()])?;
//! # Ok(())
//! # }
//! ```
//!
//! Numbers are given to all dimensions before anything else, so that every shape is known. What a model computes of shapes and
//! of constants is computed while it is imported. Each node becomes steps: programs of `lift-operators` that are applied to
//! arrays, such as a convolution and, as a step of its own, the sum with a bias. Products and sums with constants that follow
//! each other, as those of a normalisation and of its scale, are one step. Others are put together where that is faster when
//! the graph is compiled.
//!
//! Versions 6 to 28 of ONNX's operators are known. A node that can't be imported is refused: the error names the node, its
//! operator and, where it is one, the attribute. So is an attribute that is not known, since results would be
//! wrong without it. Whatever the bytes of a file are, the result is a model or an error.

mod call;
mod error;
mod external;
mod fold;
mod import;
mod layout;
mod model;
mod order;
mod read;
mod recipe;
mod tensor;
mod wire;

pub use error::OnnxError;
pub use model::{Attribute, Dim, Input, Model, Node};
pub use recipe::{Array, Recipe, Step};
pub use tensor::{Element, Elements, Tensor};
