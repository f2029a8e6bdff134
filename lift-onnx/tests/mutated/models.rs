//! The models that are changed: small ones which together have nearly every operator, and every way to import it.

use super::networks::{attention, mobile, planes, residual, spread};
use crate::common::Length::{Named, Number};
use crate::common::{bytes, float, floats, input, int, ints, list, model, node, output, small, stored};

/// A word as an attribute.
pub fn word(name: &str, value: &str) -> Vec<u8> {
    bytes(5, [bytes(1, name), bytes(4, value), crate::common::number(20, 3)].concat())
}

pub fn x(shape: &[i64]) -> Vec<u8> {
    let dims: Vec<_> = shape.iter().map(|n| Number(*n)).collect();
    input("x", &dims)
}

pub fn weights(name: &str, shape: &[i64]) -> Vec<u8> {
    let count = shape.iter().product::<i64>();
    let numbers: Vec<f32> = (0..count).map(|i| (i % 5 - 2) as f32 * 0.5).collect();
    floats(name, shape, &numbers)
}

/// All of them, with names.
pub fn named() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("small", small()),
        ("residual", residual()),
        ("mobile", mobile()),
        ("planes", planes()),
        ("spread", spread()),
        ("attention", attention()),
        ("shapes", shapes()),
        ("parts", parts()),
        ("resized", resized()),
        ("numbers", numbers()),
        ("reductions", reductions()),
        ("norms", norms()),
        ("folded", folded()),
        ("old", old()),
    ]
}

/// The bytes of all of them.
pub fn all() -> Vec<Vec<u8>> {
    named().into_iter().map(|(_, bytes)| bytes).collect()
}

/// Shapes that are computed.
fn shapes() -> Vec<u8> {
    model(
        13,
        &[
            input("x", &[Named("batch"), Number(4), Number(6)]),
            list("zero", &[0]),
            list("one", &[1]),
            list("two", &[2]),
            list("minus", &[-1]),
            node("Shape", &["x"], &["s"], &[]),
            node("Gather", &["s", "zero"], &["n"], &[int("axis", 0)]),
            node("Slice", &["s", "one", "two"], &["c"], &[]),
            node("Mul", &["c", "two"], &["cc"], &[]),
            node("Concat", &["n", "cc", "minus"], &["t"], &[int("axis", 0)]),
            node("Reshape", &["x", "t"], &["a"], &[]),
            node("Cast", &["cc"], &["f"], &[int("to", 1)]),
            node("Cast", &["f"], &["g"], &[int("to", 7)]),
            node("Range", &["z", "eight", "o"], &["r"], &[]),
            node("Constant", &[], &["z"], &[int("value_int", 0)]),
            node("Constant", &[], &["eight"], &[int("value_int", 8)]),
            node("Constant", &[], &["o"], &[int("value_int", 1)]),
            node("Gather", &["a", "r"], &["b"], &[int("axis", 1)]),
            node("ConstantOfShape", &["t3"], &["k"], &[]),
            list("t3", &[1, 8, 3]),
            node("Expand", &["b", "t3"], &["d"], &[]),
            node("Add", &["d", "k"], &["e"], &[]),
            node("Unsqueeze", &["e", "one"], &["u"], &[]),
            node("Squeeze", &["u", "one"], &["y"], &[]),
            node("Equal", &["g", "cc"], &["q"], &[]),
            node("Where", &["q", "two", "one"], &["w"], &[]),
            node("Tile", &["w", "two"], &["v"], &[]),
            node("ReduceProd", &["v"], &["p"], &[]),
            output("y"),
            output("p"),
        ],
    )
}

/// Arrays that are taken apart and put together.
fn parts() -> Vec<u8> {
    model(
        13,
        &[
            x(&[2, 6, 4]),
            list("lengths", &[2, 4]),
            list("starts", &[3, -1]),
            list("ends", &[0, -5]),
            list("axes", &[1, 2]),
            list("steps", &[-2, -1]),
            list("some", &[1, 0, 1]),
            list("times", &[1, 2, 1]),
            list("pads", &[0, 1, 0, 0, 0, 2]),
            floats("value", &[], &[0.5]),
            node("Split", &["x", "lengths"], &["a", "b"], &[int("axis", 1)]),
            node("Relu", &["a"], &["c"], &[]),
            node("Concat", &["b", "c"], &["d"], &[int("axis", 1)]),
            node("Slice", &["d", "starts", "ends", "axes", "steps"], &["e"], &[]),
            node("Gather", &["e", "some"], &["f"], &[int("axis", 0)]),
            node("Tile", &["f", "times"], &["g"], &[]),
            node("Pad", &["g", "pads", "value"], &["h"], &[]),
            node("Transpose", &["h"], &["y"], &[ints("perm", &[2, 0, 1])]),
            node("ArgMax", &["h"], &["z"], &[int("axis", 1), int("keepdims", 0)]),
            output("y"),
            output("z"),
        ],
    )
}

/// Images in other sizes.
fn resized() -> Vec<u8> {
    model(
        13,
        &[
            x(&[1, 2, 4, 5]),
            floats("scales", &[4], &[1.0, 1.0, 2.0, 1.5]),
            list("sizes", &[1, 2, 5, 3]),
            node("Resize", &["x", "", "scales"], &["a"], &[word("mode", "linear")]),
            node(
                "Resize",
                &["a", "", "", "sizes"],
                &["b"],
                &[word("mode", "cubic"), word("coordinate_transformation_mode", "align_corners")],
            ),
            node(
                "Resize",
                &["b", "", "scales"],
                &["y"],
                &[word("mode", "nearest"), word("coordinate_transformation_mode", "asymmetric")],
            ),
            output("y"),
        ],
    )
}

/// Comparisons, logic, and numbers of other types.
fn numbers() -> Vec<u8> {
    let whole = stored("k", 6, &[2], &bytes(9, [2i32.to_le_bytes(), 3i32.to_le_bytes()].concat()));
    model(
        15,
        &[
            x(&[3, 4]),
            input("t", &[Number(4)]),
            whole,
            floats("half", &[1], &[0.5]),
            node("Greater", &["x", "t"], &["a"], &[]),
            node("Less", &["x", "half"], &["b"], &[]),
            node("And", &["a", "b"], &["c"], &[]),
            node("Not", &["c"], &["d"], &[]),
            node("Where", &["d", "x", "t"], &["e"], &[]),
            node("Pow", &["e", "half"], &["f"], &[]),
            node("Max", &["e", "f", "t"], &["g"], &[]),
            node("Mean", &["g", "x"], &["h"], &[]),
            node("Cast", &["h"], &["i"], &[int("to", 6)]),
            node("Cast", &["i"], &["j"], &[int("to", 1)]),
            node("Mod", &["j", "t"], &["m"], &[int("fmod", 1)]),
            node("Elu", &["m"], &["y"], &[float("alpha", 2.0)]),
            node("Neg", &["k"], &["z"], &[]),
            output("y"),
            output("z"),
            output("d"),
        ],
    )
}

/// One number of many.
fn reductions() -> Vec<u8> {
    model(
        18,
        &[
            x(&[2, 3, 4]),
            list("axes", &[-1, 0]),
            list("axis", &[1]),
            list("first", &[0]),
            node("ReduceSum", &["x", "axes"], &["a"], &[int("keepdims", 0)]),
            node("ReduceLogSumExp", &["x", "axis"], &["b"], &[int("keepdims", 1)]),
            node("Sub", &["x", "b"], &["c"], &[]),
            node("ReduceMax", &["c"], &["d"], &[int("keepdims", 0)]),
            node("CumSum", &["a", "first"], &["e"], &[]),
            node("Add", &["e", "d"], &["y"], &[]),
            node("ReduceL2", &["c", "axes"], &["z"], &[int("noop_with_empty_axes", 1)]),
            node("LogSoftmax", &["x"], &["u"], &[int("axis", 0)]),
            node("Hardmax", &["x"], &["v"], &[]),
            output("y"),
            output("z"),
            output("u"),
            output("v"),
        ],
    )
}

/// Normalisations.
fn norms() -> Vec<u8> {
    model(
        21,
        &[
            x(&[2, 4, 3, 3]),
            weights("scale", &[4]),
            weights("shift", &[4]),
            weights("mean", &[4]),
            floats("variance", &[4], &[1.0, 2.0, 0.5, 4.0]),
            node("BatchNormalization", &["x", "scale", "shift", "mean", "variance"], &["a"], &[]),
            node("InstanceNormalization", &["a", "scale", "shift"], &["b"], &[float("epsilon", 0.01)]),
            node("GroupNormalization", &["b", "scale", "shift"], &["c"], &[int("num_groups", 2)]),
            node("LpNormalization", &["c"], &["d"], &[int("axis", 1), int("p", 1)]),
            node("LRN", &["d"], &["e"], &[int("size", 3)]),
            node("MeanVarianceNormalization", &["e"], &["y"], &[]),
            output("y"),
        ],
    )
}

/// Nothing but constants.
fn folded() -> Vec<u8> {
    model(
        13,
        &[
            x(&[2]),
            list("a", &[4, 3]),
            weights("w", &[4, 3]),
            list("axes", &[0]),
            list("turned", &[3, 4]),
            node("Transpose", &["w"], &["b"], &[]),
            node("Reshape", &["b", "turned"], &["c"], &[]),
            node("Add", &["c", "b"], &["d"], &[]),
            node("NonZero", &["d"], &["e"], &[]),
            node("ReduceMax", &["e"], &["f"], &[int("keepdims", 0)]),
            node("ConstantOfShape", &["a"], &["g"], &[]),
            node("Concat", &["g", "w"], &["h"], &[int("axis", 0)]),
            node("Slice", &["h", "axes", "four", "axes"], &["i"], &[]),
            list("four", &[4]),
            node("Sqrt", &["i"], &["j"], &[]),
            node("Size", &["j"], &["k"], &[]),
            node("Div", &["k", "f"], &["l"], &[]),
            node("Max", &["l", "f"], &["z"], &[]),
            node("ReduceSum", &["j"], &["m"], &[int("keepdims", 0)]),
            node("Mul", &["x", "m"], &["y"], &[]),
            output("y"),
            output("z"),
        ],
    )
}

/// What old versions had as attributes.
fn old() -> Vec<u8> {
    model(
        7,
        &[
            x(&[1, 2, 4, 4]),
            node("Pad", &["x"], &["a"], &[ints("pads", &[0, 0, 1, 1, 0, 0, -1, 0]), word("mode", "edge")]),
            node("Upsample", &["a"], &["b"], &[floats_attribute("scales", &[1.0, 1.0, 2.0, 2.0])]),
            node("Slice", &["b"], &["c"], &[ints("starts", &[1]), ints("ends", &[5]), ints("axes", &[2])]),
            node("Unsqueeze", &["c"], &["d"], &[ints("axes", &[0])]),
            node("Squeeze", &["d"], &["e"], &[ints("axes", &[0])]),
            node("Clip", &["e"], &["f"], &[float("min", -1.0), float("max", 1.0)]),
            node("Softmax", &["f"], &["g"], &[int("axis", 2)]),
            node("Dropout", &["g"], &["h"], &[float("ratio", 0.5)]),
            node("Split", &["h"], &["y", "z"], &[int("axis", 1), ints("split", &[1, 1])]),
            output("y"),
            output("z"),
        ],
    )
}

/// Numbers as an attribute.
fn floats_attribute(name: &str, values: &[f32]) -> Vec<u8> {
    let field = |value: &f32| [crate::common::varint(7 << 3 | 5), value.to_le_bytes().to_vec()].concat();
    let values: Vec<u8> = values.iter().flat_map(field).collect();
    bytes(5, [bytes(1, name), values, crate::common::number(20, 6)].concat())
}
