//! Networks in ONNX's format as graphs of `lift`'s programs.

mod call;
mod error;
mod external;
mod fold;
mod layout;
mod model;
mod order;
mod read;
mod tensor;
mod wire;

pub use error::OnnxError;
pub use model::{Attribute, Dim, Input, Model, Node};
pub use tensor::{Element, Elements, Tensor};
