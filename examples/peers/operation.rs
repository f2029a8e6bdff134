//! What a case computes, told so that others can compute it too: what goes to the script of the peers, and what the
//! tests' loop nests follow.

use serde::Serialize;

/// A case's mathematics, with where the axes of its arrays are.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    Conv(Conv),
    /// A matrix product with sums of `depth` terms; of transposed matrices where it says so.
    Product {
        transpose_a: bool,
        transpose_b: bool,
        depth: usize,
    },
    /// The axes in another order: axis `i` of the result is axis `order[i]` of the input.
    Transpose {
        order: Vec<usize>,
    },
    /// `2.5 * x + y`
    ScaleAdd,
    Gelu,
    Sigmoid,
    Pool {
        /// The largest, else the mean.
        largest: bool,
        /// As in [`Conv::input`]; of the output as well.
        axes: &'static str,
        window: usize,
        stride: usize,
    },
    /// Over this axis, or over everything.
    Sum {
        axis: Option<usize>,
    },
    Softmax {
        axis: usize,
    },
    LayerNorm,
    ArgMax,
    Prefix {
        axis: usize,
    },
}

/// A convolution. Axes are letters: `N` pictures, `C` input channels (of a group), `K` output channels, `Z`, `Y` and
/// `X` places; those that are missing have the length 1. `I` are the input's channels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Conv {
    pub input: &'static str,
    pub weights: &'static str,
    pub output: &'static str,
    pub stride: usize,
    pub padding: usize,
    pub dilation: usize,
    pub groups: usize,
    /// Each element of the input spread over a window of the output.
    pub transposed: bool,
    /// The weights where the program has them in itself, with their shape.
    pub constant: Option<(Vec<usize>, Vec<f32>)>,
}

impl Conv {
    /// Stride 1, no padding.
    pub fn new(input: &'static str, weights: &'static str, output: &'static str) -> Conv {
        let (stride, padding, dilation, groups) = (1, 0, 1, 1);
        Conv { input, weights, output, stride, padding, dilation, groups, transposed: false, constant: None }
    }
}

impl Operation {
    /// Multiplications and additions, those with padding included, as is usual; none where reading and writing is
    /// all that counts.
    pub fn flops(&self, inputs: &[(String, Vec<usize>)], output: &[usize]) -> f64 {
        let count = |shape: &[usize]| shape.iter().map(|n| *n as f64).product::<f64>();
        match self {
            Operation::Conv(conv) => {
                let given = inputs.iter().find(|(name, _)| is_weights(name)).map(|(_, shape)| shape);
                let Some(weights) = given.or(conv.constant.as_ref().map(|(shape, _)| shape)) else {
                    return 0.0;
                };
                let along = |letter| conv.weights.find(letter).map_or(1, |at| weights[at]) as f64;
                match conv.transposed {
                    false => 2.0 * count(output) * count(weights) / along('K'),
                    true => {
                        let input = inputs.iter().find(|(name, _)| name == "input");
                        2.0 * input.map_or(0.0, |(_, shape)| count(shape)) * count(weights) / along('C')
                    }
                }
            }
            Operation::Product { depth, .. } => 2.0 * count(output) * *depth as f64,
            _ => 0.0,
        }
    }

    /// Terms of the longest sum that an element of the result depends on.
    pub fn terms(&self, inputs: &[(String, Vec<usize>)], output: &[usize]) -> f64 {
        let count = |shape: &[usize]| shape.iter().map(|n| *n as f64).product::<f64>();
        let along = |axis: usize| inputs.first().map_or(1, |(_, shape)| shape[axis]) as f64;
        match self {
            Operation::Conv(_) => self.flops(inputs, output) / 2.0 / count(output),
            Operation::Product { depth, .. } => *depth as f64,
            Operation::Pool { window, .. } => (window * window) as f64,
            Operation::Sum { .. } => {
                inputs.iter().map(|(_, shape)| count(shape)).sum::<f64>() / count(output)
            }
            Operation::Softmax { axis } | Operation::Prefix { axis } => along(*axis),
            Operation::LayerNorm => output.last().map_or(1.0, |columns| *columns as f64),
            Operation::Transpose { .. }
            | Operation::ScaleAdd
            | Operation::Gelu
            | Operation::Sigmoid
            | Operation::ArgMax => 1.0,
        }
    }

    /// Are its inputs above zero? Where much is summed up, a sum near zero would say nothing about errors.
    pub fn positive(&self) -> bool {
        matches!(self, Operation::Sum { .. } | Operation::Prefix { .. })
    }
}

/// Parameters that are weights, by their names in the programs.
pub fn is_weights(name: &str) -> bool {
    name == "kernels" || name == "taps"
}
