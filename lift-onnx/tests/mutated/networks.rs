//! The models that look like networks.

use super::models::{weights, word, x};
use crate::common::Length::{Named, Number};
use crate::common::{float, floats, input, int, ints, list, model, node, output};

/// Convolutions, one of them strided, a sum of both, pooling, and a product with weights.
pub fn residual() -> Vec<u8> {
    let pads = ints("pads", &[1, 1, 1, 1]);
    model(
        13,
        &[
            input("x", &[Named("batch"), Number(3), Number(8), Number(8)]),
            weights("w1", &[4, 3, 3, 3]),
            weights("b1", &[4]),
            weights("w2", &[4, 4, 3, 3]),
            weights("w3", &[4, 4, 1, 1]),
            weights("w4", &[5, 4]),
            weights("b4", &[5]),
            node("Conv", &["x", "w1", "b1"], &["a"], &[pads.clone(), ints("strides", &[2, 2])]),
            node("Relu", &["a"], &["b"], &[]),
            node("Conv", &["b", "w2"], &["c"], &[pads, ints("dilations", &[1, 1])]),
            node("Conv", &["b", "w3"], &["d"], &[word("auto_pad", "VALID")]),
            node("Add", &["c", "d"], &["e"], &[]),
            node("MaxPool", &["e"], &["f"], &[ints("kernel_shape", &[2, 2]), ints("strides", &[2, 2])]),
            node("GlobalAveragePool", &["f"], &["g"], &[]),
            node("Flatten", &["g"], &["h"], &[]),
            node("Gemm", &["h", "w4", "b4"], &["i"], &[int("transB", 1), float("alpha", 0.5)]),
            node("Softmax", &["i"], &["y"], &[int("axis", 1)]),
            output("y"),
        ],
    )
}

/// Depthwise and grouped convolutions, and pooling that rounds up.
pub fn mobile() -> Vec<u8> {
    model(
        14,
        &[
            x(&[1, 4, 7, 6]),
            weights("w1", &[4, 1, 3, 3]),
            weights("w2", &[6, 2, 1, 1]),
            floats("low", &[], &[0.0]),
            floats("high", &[], &[6.0]),
            node("Conv", &["x", "w1"], &["a"], &[int("group", 4), word("auto_pad", "SAME_UPPER")]),
            node("Clip", &["a", "low", "high"], &["b"], &[]),
            node("Conv", &["b", "w2"], &["c"], &[int("group", 2)]),
            node("HardSwish", &["c"], &["d"], &[]),
            node(
                "AveragePool",
                &["d"],
                &["e"],
                &[ints("kernel_shape", &[2, 3]), int("ceil_mode", 1), ints("strides", &[2, 2])],
            ),
            node("LpPool", &["e"], &["f"], &[ints("kernel_shape", &[2, 1]), int("p", 2)]),
            node("ReduceMean", &["f"], &["g"], &[ints("axes", &[2, 3]), int("keepdims", 1)]),
            node("Sigmoid", &["g"], &["h"], &[]),
            node("Mul", &["f", "h"], &["y"], &[]),
            output("y"),
        ],
    )
}

/// Windows of one and of three dimensions.
pub fn planes() -> Vec<u8> {
    model(
        13,
        &[
            x(&[1, 2, 4, 5, 4]),
            weights("w", &[3, 2, 2, 3, 2]),
            input("row", &[Number(1), Number(2), Number(9)]),
            weights("v", &[2, 2, 3]),
            node(
                "Conv",
                &["x", "w"],
                &["a"],
                &[ints("pads", &[1, 0, 1, 0, 1, 1]), ints("strides", &[2, 1, 1])],
            ),
            node("MaxPool", &["a"], &["y"], &[ints("kernel_shape", &[2, 2, 2])]),
            node("Conv", &["row", "v"], &["b"], &[ints("dilations", &[2])]),
            node("AveragePool", &["b"], &["z"], &[ints("kernel_shape", &[2]), int("count_include_pad", 1)]),
            output("y"),
            output("z"),
        ],
    )
}

/// Transposed convolutions, and blocks.
pub fn spread() -> Vec<u8> {
    model(
        13,
        &[
            x(&[1, 4, 3, 3]),
            weights("w", &[4, 4, 2, 2]),
            weights("v", &[4, 2, 3, 3]),
            weights("slopes", &[4, 1, 1]),
            node(
                "ConvTranspose",
                &["x", "w"],
                &["a"],
                &[ints("strides", &[2, 2]), ints("output_padding", &[1, 0]), ints("pads", &[0, 1, 0, 0])],
            ),
            node("PRelu", &["a", "slopes"], &["b"], &[]),
            node("ConvTranspose", &["b", "v"], &["c"], &[int("group", 2), ints("dilations", &[1, 2])]),
            node("DepthToSpace", &["c"], &["d"], &[int("blocksize", 2), word("mode", "CRD")]),
            node("Pad", &["d", "pads"], &["e"], &[word("mode", "reflect")]),
            list("pads", &[0, 0, 1, 0, 0, 0, 1, 2]),
            node("SpaceToDepth", &["d"], &["z"], &[int("blocksize", 2)]),
            node("Tanh", &["e"], &["y"], &[]),
            output("y"),
            output("z"),
        ],
    )
}

/// Products of batches of matrices.
pub fn attention() -> Vec<u8> {
    model(
        17,
        &[
            input("x", &[Named("batch"), Named("length"), Number(6)]),
            weights("wq", &[6, 6]),
            weights("wk", &[6, 6]),
            weights("wv", &[6, 6]),
            weights("scale", &[6]),
            weights("shift", &[6]),
            list("heads", &[0, 0, 2, 3]),
            list("joined", &[0, 0, 6]),
            floats("root", &[], &[1.7]),
            node("LayerNormalization", &["x", "scale", "shift"], &["n"], &[int("axis", -1)]),
            node("MatMul", &["n", "wq"], &["q0"], &[]),
            node("MatMul", &["n", "wk"], &["k0"], &[]),
            node("MatMul", &["n", "wv"], &["v0"], &[]),
            node("Reshape", &["q0", "heads"], &["q1"], &[]),
            node("Reshape", &["k0", "heads"], &["k1"], &[]),
            node("Reshape", &["v0", "heads"], &["v1"], &[]),
            node("Transpose", &["q1"], &["q"], &[ints("perm", &[0, 2, 1, 3])]),
            node("Transpose", &["k1"], &["k"], &[ints("perm", &[0, 2, 3, 1])]),
            node("Transpose", &["v1"], &["v"], &[ints("perm", &[0, 2, 1, 3])]),
            node("MatMul", &["q", "k"], &["s0"], &[]),
            node("Div", &["s0", "root"], &["s1"], &[]),
            node("Softmax", &["s1"], &["s"], &[int("axis", -1)]),
            node("MatMul", &["s", "v"], &["o0"], &[]),
            node("Transpose", &["o0"], &["o1"], &[ints("perm", &[0, 2, 1, 3])]),
            node("Reshape", &["o1", "joined"], &["o"], &[]),
            node("Add", &["o", "x"], &["p"], &[]),
            node("Gelu", &["p"], &["y"], &[]),
            output("y"),
        ],
    )
}
