//! Networks in ONNX's format as graphs of `lift`'s programs.

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
