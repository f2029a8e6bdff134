//! What several tests use.
//!
//! Models written by hand, byte by byte: what is read is not written by the library that reads.

#![allow(dead_code, reason = "each test uses a part")]

pub mod npy;

/// A number of variable length.
pub fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = vec![];
    while value > 0x7f {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// A field that is a number.
pub fn number(field: u64, value: i64) -> Vec<u8> {
    [varint(field << 3), varint(value as u64)].concat()
}

/// A field that is text, an array of bytes, or a message.
pub fn bytes(field: u64, content: impl AsRef<[u8]>) -> Vec<u8> {
    let content = content.as_ref();
    [varint(field << 3 | 2), varint(content.len() as u64), content.to_vec()].concat()
}

/// A whole number as an attribute.
pub fn int(name: &str, value: i64) -> Vec<u8> {
    bytes(5, [bytes(1, name), number(3, value), number(20, 2)].concat())
}

/// A float as an attribute.
pub fn float(name: &str, value: f32) -> Vec<u8> {
    let tag = varint(2 << 3 | 5);
    bytes(5, [bytes(1, name), tag, value.to_le_bytes().to_vec(), number(20, 1)].concat())
}

/// Whole numbers as an attribute.
pub fn ints(name: &str, values: &[i64]) -> Vec<u8> {
    let values: Vec<u8> = values.iter().flat_map(|value| number(8, *value)).collect();
    bytes(5, [bytes(1, name), values, number(20, 7)].concat())
}

/// A node.
pub fn node(operator: &str, inputs: &[&str], outputs: &[&str], attributes: &[Vec<u8>]) -> Vec<u8> {
    let inputs: Vec<u8> = inputs.iter().flat_map(|name| bytes(1, name)).collect();
    let outputs: Vec<u8> = outputs.iter().flat_map(|name| bytes(2, name)).collect();
    bytes(1, [inputs, outputs, bytes(4, operator), attributes.concat()].concat())
}

/// A stored array of `f32`.
pub fn floats(name: &str, shape: &[i64], values: &[f32]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    stored(name, 1, shape, &bytes(9, raw))
}

/// A stored list of `i64`.
pub fn list(name: &str, values: &[i64]) -> Vec<u8> {
    let raw: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    stored(name, 7, &[values.len() as i64], &bytes(9, raw))
}

/// A stored array of a type, with the fields that hold its elements.
pub fn stored(name: &str, data_type: i64, shape: &[i64], elements: &[u8]) -> Vec<u8> {
    let shape: Vec<u8> = shape.iter().flat_map(|length| number(1, *length)).collect();
    bytes(5, [shape, number(2, data_type), bytes(8, name), elements.to_vec()].concat())
}

/// A dimension of an input.
pub enum Length {
    Number(i64),
    Named(&'static str),
    Open,
}

/// An input of the model.
pub fn input(name: &str, shape: &[Length]) -> Vec<u8> {
    let dims = shape.iter().flat_map(|length| {
        bytes(
            1,
            match length {
                Length::Number(value) => number(1, *value),
                Length::Named(name) => bytes(2, name),
                Length::Open => vec![],
            },
        )
    });
    let dims: Vec<u8> = dims.collect();
    let tensor = [number(1, 1), bytes(2, dims)].concat();
    bytes(11, [bytes(1, name), bytes(2, bytes(1, tensor))].concat())
}

/// A result of the model.
pub fn output(name: &str) -> Vec<u8> {
    bytes(12, bytes(1, name))
}

/// A model with these parts of its graph.
pub fn model(opset: i64, parts: &[Vec<u8>]) -> Vec<u8> {
    [number(1, 8), bytes(7, parts.concat()), bytes(8, number(2, opset))].concat()
}

/// A convolution, a normalisation, an activation and a sum over both dimensions, with a shape that is computed.
pub fn small() -> Vec<u8> {
    use Length::{Named, Number};
    model(
        13,
        &[
            input("x", &[Named("batch"), Number(1), Number(4), Number(4)]),
            floats("w", &[2, 1, 3, 3], &[0.5; 18]),
            floats("scale", &[2], &[1.0, 2.0]),
            floats("shift", &[2], &[0.0, -1.0]),
            floats("mean", &[2], &[0.1, 0.2]),
            floats("variance", &[2], &[1.0, 4.0]),
            list("minus", &[-1]),
            list("zero", &[0]),
            node("Conv", &["x", "w"], &["a"], &[ints("kernel_shape", &[3, 3]), ints("pads", &[1, 1, 1, 1])]),
            node("BatchNormalization", &["a", "scale", "shift", "mean", "variance"], &["b"], &[]),
            node("Relu", &["b"], &["c"], &[]),
            node("Shape", &["c"], &["s"], &[]),
            node("Gather", &["s", "zero"], &["n"], &[int("axis", 0)]),
            node("Concat", &["n", "minus"], &["t"], &[int("axis", 0)]),
            node("Reshape", &["c", "t"], &["y"], &[]),
            output("y"),
        ],
    )
}
