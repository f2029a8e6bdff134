//! A model as its file has it, in plain structures.

use crate::error::OnnxError;
use crate::recipe::Recipe;
use crate::tensor::Tensor;
use crate::{external, import, read};
use lift::graph::Graph;
use lift_core::types::Scalar;
use std::collections::HashMap;
use std::path::Path;

/// A model: operators, the names through which they are connected, and weights.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The version of ONNX's operators that it was written for.
    pub opset: i64,
    /// What the caller passes: the model's inputs that have no stored array.
    pub inputs: Vec<Input>,
    /// The names of the results, in order.
    pub outputs: Vec<String>,
    /// Operators, in the order of the file.
    pub nodes: Vec<Node>,
    /// Weights and other stored arrays by their names.
    pub constants: HashMap<String, Tensor>,
}

/// An array that the caller passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub scalar: Scalar,
    /// Its dimensions, the outer one first.
    pub dims: Vec<Dim>,
}

/// One dimension of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dim {
    /// Its length is known.
    Number(usize),
    /// It has a name, and the same length wherever that name stands.
    Named(String),
    /// Nothing is known of it.
    Open,
}

/// One application of an operator.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Its name, which may be empty.
    pub name: String,
    /// The operator: `Conv`.
    pub operator: String,
    /// The set that the operator is from; empty for ONNX's own.
    pub domain: String,
    /// The names of what it reads; empty where something optional is left out.
    pub inputs: Vec<String>,
    /// The names of what it computes; empty where nobody wants it.
    pub outputs: Vec<String>,
    /// Its attributes by their names.
    pub attributes: HashMap<String, Attribute>,
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f32),
    /// A word.
    Text(String),
    /// An array.
    Tensor(Tensor),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f32>),
    /// Words.
    Texts(Vec<String>),
}

impl Attribute {
    /// What it is, in words.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Attribute::Int(_) => "a whole number",
            Attribute::Float(_) => "a number",
            Attribute::Text(_) => "a word",
            Attribute::Tensor(_) => "an array",
            Attribute::Ints(_) => "a list of whole numbers",
            Attribute::Floats(_) => "a list of numbers",
            Attribute::Texts(_) => "a list of words",
        }
    }
}

impl Model {
    /// The versions of ONNX's operators that are known. An attribute that is not known is refused in any of them.
    pub const OPSETS: std::ops::RangeInclusive<i64> = 6..=28;

    /// Reads a model from a file. Arrays that it stores in other files must lie in the same folder, or below.
    ///
    /// # Errors
    /// [`OnnxError::File`] if the file can't be read; [`OnnxError::NotAModel`], [`OnnxError::Opset`], [`OnnxError::Tensor`],
    /// [`OnnxError::External`] and [`OnnxError::Input`] if what is in it can't be used, [`OnnxError::Unsupported`] for
    /// nodes with graphs of their own, and [`OnnxError::DuplicateName`].
    pub fn read(path: impl AsRef<Path>) -> Result<Model, OnnxError> {
        let path = path.as_ref();
        let bytes =
            std::fs::read(path).map_err(|source| OnnxError::File { path: path.to_path_buf(), source })?;
        let folder = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        read::model(&bytes, &external::Folder::at(folder))
    }

    /// Reads a model from the bytes of its file.
    ///
    /// # Errors
    /// As [`Model::read`]; arrays in other files can't be used.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, OnnxError> {
        read::model(bytes, &external::Folder::none())
    }
}

impl Model {
    /// The graph of what the model computes, with these numbers for dimensions that it leaves open; see [`Model::recipe`].
    ///
    /// # Errors
    /// As [`Model::recipe`], and [`OnnxError::Graph`].
    pub fn graph(&self, dims: &[(&str, usize)]) -> Result<Graph, OnnxError> {
        self.recipe(dims)?.graph("model")
    }

    /// The steps that compute what the model does. `dims` has numbers for the dimensions that its inputs leave open, by their
    /// names; one without a name is `input[axis]`. An outer dimension is 1 if no number is given: a batch of one.
    ///
    /// # Errors
    /// [`OnnxError::OpenDimension`], [`OnnxError::NoSuchDimension`] and [`OnnxError::Input`] for inputs;
    /// [`OnnxError::MissingInput`], [`OnnxError::Cycle`] and [`OnnxError::DuplicateName`] where nodes are not connected right;
    /// [`OnnxError::Unsupported`], [`OnnxError::Shape`], [`OnnxError::DataDependentShape`] and [`OnnxError::TooLarge`] for
    /// nodes.
    pub fn recipe(&self, dims: &[(&str, usize)]) -> Result<Recipe, OnnxError> {
        import::import(self, dims)
    }
}

impl Node {
    /// What messages call it: its name, or its place among the nodes, counted from 0.
    pub(crate) fn label(&self, index: usize) -> String {
        if self.name.is_empty() { format!("node {index}") } else { format!("node `{}`", self.name) }
    }
}
