//! Everything that can keep a model from becoming a graph.

use std::path::PathBuf;

/// Why a model could not be read or imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OnnxError {
    /// The file could not be opened or read.
    #[error("`{}` can't be read: {source}", .path.display())]
    File {
        /// The file that was asked for.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The bytes are not those of an ONNX model.
    #[error("this is not an ONNX model, or a damaged one: {reason}")]
    NotAModel {
        /// What is wrong with them.
        reason: String,
    },
    /// The model was written for a version of ONNX's operators that is not known.
    #[error("the model uses version {got} of ONNX's operators; versions {least} to {most} are known")]
    Opset {
        /// The version that the model names.
        got: i64,
        /// The first version that is known.
        least: i64,
        /// The last version that is known.
        most: i64,
    },
    /// Weights, or another array that is stored in the model, can't be used.
    #[error("the stored array `{tensor}` can't be used: {reason}")]
    Tensor {
        /// The array's name, or that of the node that it is an attribute of.
        tensor: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An array lies in a file of its own that can't be used.
    #[error("the array `{tensor}` is stored in the file `{location}`, which can't be used: {reason}")]
    External {
        /// The array's name.
        tensor: String,
        /// Where it lies, in the model's own words.
        location: String,
        /// What is wrong with that.
        reason: String,
    },
    /// An input of the model can't be an argument of a graph.
    #[error("input `{input}` can't be used: {reason}")]
    Input {
        /// The input's name.
        input: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A result of the model can't be a result of a graph.
    #[error("output `{output}` can't be computed: {reason}")]
    Output {
        /// The output's name.
        output: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A dimension of an input has no number, and none was given for it.
    #[error("dimension {axis} of input `{input}` is left open; give a number for `{name}`")]
    OpenDimension {
        /// The input's name.
        input: String,
        /// Counted from 0, the outer dimension first.
        axis: usize,
        /// The name that a number can be given for.
        name: String,
    },
    /// A number was given for a dimension that the model does not have.
    #[error("the model has no open dimension `{name}`; {}", open_dimensions(.known))]
    NoSuchDimension {
        /// The name that a number was given for.
        name: String,
        /// The names of its open dimensions.
        known: Vec<String>,
    },
    /// An operator, or a way to use it, that can't be expressed.
    #[error("{node} can't be imported: {operator}{} {reason}", with(.attribute))]
    Unsupported {
        /// The node: its name in quotes, or its place.
        node: String,
        /// Its operator.
        operator: String,
        /// The attribute or input that can't be used, if it is one.
        attribute: Option<String>,
        /// The rest of the sentence.
        reason: String,
    },
    /// A shape follows from the elements of an array that is not known before the network runs.
    #[error(
        "{node} can't be imported: {operator} needs the elements of `{input}` to know its result's shape, \
         but they are only known when the network runs"
    )]
    DataDependentShape {
        /// The node: its name in quotes, or its place.
        node: String,
        /// Its operator.
        operator: String,
        /// The name of the array whose elements would have to be known.
        input: String,
    },
    /// A node reads, or the model returns, what nothing computes.
    #[error("{reader} needs `{name}`, but that is no input, no stored array, and no node computes it")]
    MissingInput {
        /// Who needs it: a node with its operator, or `the model's list of outputs`.
        reader: String,
        /// The name that nothing has.
        name: String,
    },
    /// Nodes need each other's results.
    #[error("these nodes need each other's results, so that none can be the first: {}", .nodes.join(", "))]
    Cycle {
        /// The nodes in order, each of which needs the one before it; of a long cycle the beginning.
        nodes: Vec<String>,
    },
    /// One name stands for two things.
    #[error("the name `{name}` is used for {first} and for {second}")]
    DuplicateName {
        /// The name.
        name: String,
        /// What has it first.
        first: String,
        /// What has it, too.
        second: String,
    },
    /// An array that is computed while importing would take too much memory.
    #[error(
        "{node} can't be imported: {operator} makes an array of shape {shape:?}, which with those before takes too \
         much memory"
    )]
    TooLarge {
        /// The node: its name in quotes, or its place.
        node: String,
        /// Its operator.
        operator: String,
        /// The shape of the array.
        shape: Vec<usize>,
    },
    /// The graph refuses a program that a node became.
    #[error(transparent)]
    Graph(Box<lift::graph::GraphError>),
    /// Arrays, attributes and operator don't go together.
    #[error("{node} is wrong: {operator} {reason}")]
    Shape {
        /// The node: its name in quotes, or its place.
        node: String,
        /// Its operator.
        operator: String,
        /// The rest of the sentence.
        reason: String,
    },
}

impl From<lift::graph::GraphError> for OnnxError {
    fn from(error: lift::graph::GraphError) -> OnnxError {
        OnnxError::Graph(Box::new(error))
    }
}

fn with(attribute: &Option<String>) -> String {
    attribute.as_ref().map_or_else(String::new, |name| format!(" with `{name}`"))
}

fn open_dimensions(names: &[String]) -> String {
    match names {
        [] => "all its dimensions have numbers".to_string(),
        names => format!("it has {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")),
    }
}
