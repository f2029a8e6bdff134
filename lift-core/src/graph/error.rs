//! What can be wrong with a graph, in its user's names.

use crate::compose::ComposeError;

/// Why something can't be added to a graph, or a graph can't be compiled.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum GraphError {
    /// A name that something else has.
    #[error("`{name}` is the name of another array or node of the network")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The arrays given for a program don't fit it.
    #[error("`{node}`: {error}")]
    Argument {
        /// The node that was to be added.
        node: String,
        /// What does not fit.
        error: Box<ComposeError>,
    },
    /// Too few or too many arrays.
    #[error("`{node}`: `{program}` takes {expected} arguments, and {got} are given")]
    Arguments {
        /// The node that was to be added.
        node: String,
        /// The name of its program.
        program: String,
        /// How many parameters that has.
        expected: usize,
        /// How many arrays were given.
        got: usize,
    },
    /// A size that neither an argument nor the caller determines.
    #[error("`{node}`: no argument of `{program}` determines its size `{size}`: give it a value")]
    Undetermined {
        /// The node that was to be added.
        node: String,
        /// The name of its program.
        program: String,
        /// The size.
        size: String,
    },
    /// A condition that a program states does not hold for the arrays that it is given.
    #[error("`{node}`: `{program}` demands {clause}, which does not hold for {arguments}")]
    Demand {
        /// The node that was to be added.
        node: String,
        /// The name of its program.
        program: String,
        /// The condition, in the program's own names.
        clause: String,
        /// The arrays that were given, with their types.
        arguments: String,
    },
    /// A program takes a number by value, and is given the result of a node.
    #[error(
        "`{node}`: `{parameter}` is a number, which kernels are passed by value: it can't be computed by `{maker}`"
    )]
    ComputedNumber {
        /// The node that was to be added.
        node: String,
        /// The parameter.
        parameter: String,
        /// The node that computes it.
        maker: String,
    },
    /// An array of another graph.
    #[error("`{name}` is given an array of another network")]
    Foreign {
        /// The node or output that was to be added.
        name: String,
    },
    /// A length that is less than 0, or that no number can hold.
    #[error("a length of `{name}` is {length}")]
    Length {
        /// The array.
        name: String,
        /// The length.
        length: String,
    },
    /// Nobody asks for a result.
    #[error("the network `{graph}` has no output")]
    NoOutput {
        /// The network.
        graph: String,
    },
    /// The sizes that are given are not those that the graph leaves open.
    #[error("the network `{graph}` has {}, and a value is given for {}", sizes(.expected), sizes(.got))]
    Sizes {
        /// The network.
        graph: String,
        /// The names of its sizes.
        expected: Vec<String>,
        /// The names that values were given for.
        got: Vec<String>,
    },
    /// The sizes break a condition of a node.
    #[error("`{node}` demands {clause}, which does not hold for {sizes}")]
    Broken {
        /// The node.
        node: String,
        /// The condition, in the graph's sizes.
        clause: String,
        /// Their values.
        sizes: String,
    },
}

/// Names as part of a sentence.
fn sizes(names: &[String]) -> String {
    match names {
        [] => "no size".into(),
        [one] => format!("the size `{one}`"),
        several => {
            format!("the sizes {}", several.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
        }
    }
}
