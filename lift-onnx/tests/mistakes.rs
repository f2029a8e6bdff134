//! What can be wrong in a model whose bytes are whole: each mistake is an error of its kind, in the model's own names.

mod common;

use common::Length::Number;
use common::{bytes, floats, input, int, ints, list, model, node, number, output, stored};
use lift::graph::GraphError;
use lift_onnx::{Model, OnnxError};

/// The error of a model with these parts, wherever on the way to a graph it is.
fn refused(parts: &[Vec<u8>]) -> OnnxError {
    let graph = Model::from_bytes(&model(13, parts)).and_then(|model| model.graph(&[]));
    let error = graph.err().expect("a mistake");
    // Nobody reads a message of a thousand numbers.
    assert!(error.to_string().len() < 500, "{error}");
    error
}

fn x() -> Vec<u8> {
    input("x", &[Number(1), Number(2), Number(4), Number(4)])
}

/// The error of one node that reads `x` and arrays that are stored with the model.
fn of_node(operator: &str, stored: &[(&str, Vec<u8>)], attributes: &[Vec<u8>]) -> OnnxError {
    let names: Vec<&str> = std::iter::once("x").chain(stored.iter().map(|(name, _)| *name)).collect();
    let arrays = stored.iter().map(|(_, array)| array.clone());
    let parts = arrays.chain([x(), node(operator, &names, &["y"], attributes), output("y")]);
    refused(&parts.collect::<Vec<_>>())
}

/// An attribute of this type.
fn attribute(name: &str, kind: i64) -> Vec<u8> {
    bytes(5, [bytes(1, name), number(3, 1), number(20, kind)].concat())
}

macro_rules! assert_is {
    ($error:expr, $pattern:pat $(if $guard:expr)?) => {
        let error = $error;
        assert!(matches!(&error, $pattern $(if $guard)?), "{error:?}");
    };
}

#[test]
fn circles_are_refused() {
    let parts = [
        x(),
        node("Add", &["x", "c"], &["a"], &[]),
        node("Relu", &["a"], &["b"], &[]),
        node("Neg", &["b"], &["c"], &[]),
        output("c"),
    ];
    assert_is!(refused(&parts), OnnxError::Cycle { nodes } if nodes.len() == 3);
    let parts = [x(), node("Add", &["x", "a"], &["a"], &[]), output("a")];
    assert_is!(refused(&parts), OnnxError::Cycle { nodes } if *nodes == ["node 0 (Add)"]);
}

#[test]
fn names_that_are_used_twice_are_refused() {
    let relu = |to: &str| node("Relu", &["x"], &[to], &[]);
    let twice = [
        vec![x(), relu("y"), relu("y"), output("y")],
        vec![x(), relu("x"), output("x")],
        vec![x(), floats("y", &[1], &[1.0]), relu("y"), output("y")],
        vec![x(), floats("w", &[1], &[1.0]), floats("w", &[1], &[1.0]), relu("y"), output("y")],
        vec![x(), x(), relu("y"), output("y")],
        vec![x(), node("Softmax", &["x"], &["y"], &[int("axis", 1), int("axis", 1)]), output("y")],
    ];
    for parts in twice {
        assert_is!(refused(&parts), OnnxError::DuplicateName { .. });
    }
    let parts = [x(), relu("y"), output("y"), output("y")];
    assert_is!(refused(&parts), OnnxError::Graph(_));
}

#[test]
fn arrays_that_nothing_makes_are_named() {
    let parts = [x(), node("Add", &["x", "w"], &["y"], &[]), output("y")];
    assert_is!(refused(&parts), OnnxError::MissingInput { name, .. } if name == "w");
    let parts = [x(), node("Relu", &["x"], &["y"], &[]), output("z")];
    assert_is!(refused(&parts), OnnxError::MissingInput { name, .. } if name == "z");
    assert_is!(of_node("Conv", &[], &[]), OnnxError::Shape { operator, .. } if operator == "Conv");
    // Nobody asks for a result: that is seen where the graph is compiled.
    let parts = [x(), node("Relu", &["x"], &["y"], &[])];
    let graph = Model::from_bytes(&model(13, &parts)).unwrap().graph(&[]).unwrap();
    assert!(matches!(graph.at(&[]), Err(GraphError::NoOutput { .. })));
}

#[test]
fn operators_and_attributes_that_are_not_known_are_named() {
    assert_is!(of_node("Frobnicate", &[], &[]), OnnxError::Unsupported { operator, .. } if operator == "Frobnicate");
    let unknown = of_node("Softmax", &[], &[int("temperature", 2)]);
    assert_is!(unknown, OnnxError::Unsupported { attribute: Some(name), .. } if name == "temperature");
    // Another set of operators, of which one is called like one of ONNX's own.
    let relu = [bytes(1, "x"), bytes(2, "y"), bytes(4, "Relu"), bytes(7, "com.example")].concat();
    let foreign = refused(&[x(), bytes(1, relu), output("y")]);
    assert_is!(&foreign, OnnxError::Unsupported { operator, .. } if operator == "Relu");
    assert!(foreign.to_string().contains("`com.example`"), "{foreign}");
    // The numbers of types in `AttributeProto`: lists of arrays and graphs, sparse arrays, types, and none of them.
    for kind in [5, 9, 10, 11, 12, 13, 14, 99, -1] {
        let other = of_node("Softmax", &[], &[attribute("axis", kind)]);
        assert_is!(other, OnnxError::Unsupported { attribute: Some(name), .. } if name == "axis");
    }
    // One that is known, of another type than it has.
    for (attribute, words) in [
        (ints("axis", &[1]), "a list of whole numbers as attribute `axis`, where a whole number belongs"),
        (common::float("axis", 1.0), "a number as attribute `axis`, where a whole number belongs"),
    ] {
        let mistyped = of_node("Softmax", &[], &[attribute]);
        assert_is!(&mistyped, OnnxError::Shape { .. });
        assert!(mistyped.to_string().contains(words), "{mistyped}");
    }
}

#[test]
fn shapes_that_do_not_fit_are_refused() {
    let weights = |shape: &[i64]| {
        let count = usize::try_from(shape.iter().product::<i64>()).unwrap();
        ("w", floats("w", shape, &vec![1.0; count]))
    };
    // Kernels of other channels, of other dimensions, larger than the image, and without elements.
    for shape in [&[3, 5, 2, 2][..], &[3, 2, 2], &[3, 2, 5, 5], &[3, 2, 2, 2, 2]] {
        assert_is!(of_node("Conv", &[weights(shape)], &[]), OnnxError::Shape { node, .. } if node == "node 0");
    }
    assert_is!(of_node("Conv", &[weights(&[0, 2, 2, 2])], &[]), OnnxError::Unsupported { .. });
    let bias = ("b", floats("b", &[4], &[0.0; 4]));
    assert_is!(of_node("Conv", &[weights(&[3, 2, 2, 2]), bias], &[]), OnnxError::Shape { .. });
    for (operator, shape) in [("MatMul", &[3, 4][..]), ("Add", &[3]), ("Gemm", &[4, 4]), ("Mul", &[2, 1, 3])]
    {
        assert_is!(
            of_node(operator, &[weights(shape)], &[]),
            OnnxError::Shape { .. } | OnnxError::Unsupported { .. }
        );
    }
    // Shapes that nodes are told.
    for wanted in [&[5][..], &[-1, -1], &[-2], &[i64::MAX, i64::MAX], &[0, 0, 0, 0, 0], &[1; 17], &[3; 5000]]
    {
        assert_is!(of_node("Reshape", &[("s", list("s", wanted))], &[]), OnnxError::Shape { .. });
        assert_is!(of_node("Expand", &[("s", list("s", wanted))], &[]), OnnxError::Shape { .. });
        assert_is!(of_node("Tile", &[("s", list("s", wanted))], &[]), OnnxError::Shape { .. });
    }
    let many: Vec<i64> = (0..5000).collect();
    assert_is!(of_node("Unsqueeze", &[("s", list("s", &many))], &[]), OnnxError::Shape { .. });
    assert_is!(of_node("Split", &[("s", list("s", &many))], &[]), OnnxError::Shape { .. });
    assert_is!(of_node("MaxPool", &[], &[ints("kernel_shape", &many)]), OnnxError::Shape { .. });
    assert_is!(of_node("MaxPool", &[], &[ints("kernel_shape", &[i64::MAX, 1])]), OnnxError::Shape { .. });
    assert_is!(of_node("Gather", &[("i", list("i", &[2]))], &[]), OnnxError::Shape { .. });
}

#[test]
fn lengths_that_no_memory_has_are_refused() {
    for shape in [[-1, 2], [i64::MIN, 2], [i64::MAX, i64::MAX], [1 << 62, 4], [3, 2]] {
        let parts = [x(), floats("w", &shape, &[1.0; 2]), node("Relu", &["x"], &["y"], &[]), output("y")];
        assert_is!(refused(&parts), OnnxError::Tensor { tensor, .. } if tensor == "w");
    }
    for (length, other) in [(i64::MAX, 2), (1 << 40, 1 << 40), (0, 2)] {
        let parts =
            [input("x", &[Number(length), Number(other)]), node("Relu", &["x"], &["y"], &[]), output("y")];
        assert_is!(refused(&parts), OnnxError::Input { input, .. } if input == "x");
    }
    // Arrays that would be made while the model is imported.
    let made = |wanted: &[i64]| {
        let zeros = node("ConstantOfShape", &["s"], &["y"], &[]);
        refused(&[x(), list("s", wanted), zeros, output("y")])
    };
    assert_is!(made(&[1 << 30, 2]), OnnxError::TooLarge { .. });
    assert_is!(made(&[i64::MAX, i64::MAX]), OnnxError::TooLarge { .. });
    assert_is!(made(&[-1]), OnnxError::Shape { .. });
    assert_is!(made(&[1; 17]), OnnxError::Shape { .. });
    let step = [list("from", &[0]), list("to", &[i64::MAX]), list("by", &[1])];
    let range = [x(), node("Range", &["from", "to", "by"], &["y"], &[]), output("y")];
    assert_is!(refused(&[&step[..], &range[..]].concat()), OnnxError::TooLarge { .. });
}

/// Paths are a model's own words, and may lead anywhere.
#[test]
fn files_elsewhere_are_not_read() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("model");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(parent.path().join("w.bin"), [0; 8]).unwrap();
    std::fs::write(folder.join("short.bin"), [0; 4]).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(parent.path().join("w.bin"), folder.join("link.bin")).unwrap();
    let absolute = parent.path().join("w.bin");
    let entry = |key: &str, value: &str| bytes(13, [bytes(1, key), bytes(2, value)].concat());
    let read = |entries: &[Vec<u8>]| {
        let array = stored("w", 1, &[2], &[entries.concat(), number(14, 1)].concat());
        std::fs::write(folder.join("model.onnx"), model(13, &[array])).unwrap();
        Model::read(folder.join("model.onnx")).unwrap_err()
    };
    for path in ["../w.bin", absolute.to_str().unwrap(), "", "none.bin", ".", "link.bin", "short.bin", "a\0b"]
    {
        assert_is!(read(&[entry("location", path)]), OnnxError::External { tensor, .. } if tensor == "w");
    }
    for (key, value) in
        [("offset", "-4"), ("offset", "18446744073709551615"), ("length", "4"), ("length", "x")]
    {
        let error = read(&[entry("location", "short.bin"), entry(key, value)]);
        assert_is!(error, OnnxError::External { location, .. } if location == "short.bin");
    }
    assert_is!(read(&[]), OnnxError::Tensor { tensor, .. } if tensor == "w");
}
