//! Whatever the bytes are, reading ends, with a model or an error.

mod common;

use common::{bytes, floats, input, list, model, node, number, output, small, stored};
use lift_onnx::{Attribute, Dim, Model, OnnxError, Tensor};
use std::time::{Duration, Instant};

fn read(bytes: &[u8]) -> Result<Model, OnnxError> {
    Model::from_bytes(bytes)
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

#[test]
fn a_model_is_read() {
    let model = read(&small()).unwrap();
    assert_eq!(model.opset, 13);
    assert_eq!(model.inputs.len(), 1);
    assert_eq!(model.inputs[0].name, "x");
    assert_eq!(
        model.inputs[0].dims,
        [Dim::Named("batch".into()), Dim::Number(1), Dim::Number(4), Dim::Number(4)]
    );
    assert_eq!(model.outputs, ["y"]);
    assert_eq!(model.nodes.len(), 7);
    assert_eq!(model.nodes[0].operator, "Conv");
    assert_eq!(model.nodes[0].inputs, ["x", "w"]);
    assert_eq!(model.nodes[0].attributes["pads"], Attribute::Ints(vec![1; 4]));
    assert_eq!(model.constants["w"].shape(), [2, 1, 3, 3]);
    assert_eq!(model.constants["minus"], Tensor::list(&[-1]));
    let recipe = model.recipe(&[("batch", 3)]).unwrap();
    assert_eq!(recipe.arrays[recipe.inputs[0]].shape, [3, 1, 4, 4]);
    assert_eq!(recipe.arrays[recipe.outputs[0].1].shape, [3, 32]);
}

#[test]
fn a_model_that_is_cut_is_refused() {
    let whole = small();
    for length in 0..whole.len() {
        let error = read(&whole[..length]).expect_err("a part of a model is none");
        assert!(matches!(error, OnnxError::NotAModel { .. }), "{length}: {error}");
    }
}

#[test]
fn damaged_bytes_are_no_trouble() {
    let whole = small();
    let mut random = fastrand::Rng::with_seed(7);
    let start = Instant::now();
    let (mut read_all_the_same, mut refused) = (0, 0);
    while start.elapsed() < Duration::from_secs(4) {
        let mut bytes = whole.clone();
        for _ in 0..random.usize(1..6) {
            let at = random.usize(..bytes.len());
            match random.u8(0..4) {
                0 => bytes[at] ^= 1 << random.u8(0..8),
                1 => bytes[at] = random.u8(..),
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, *random.choice(&[0, 1, 0x7f, 0x80, 0xff]).unwrap()),
            }
        }
        match read(&bytes) {
            Ok(model) => {
                // What is left may be a model that makes sense.
                if let Err(error) = model.recipe(&[]) {
                    assert!(!error.to_string().is_empty());
                }
                read_all_the_same += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(read_all_the_same > 0 && refused > 0, "{read_all_the_same} read, {refused} refused");
}

#[test]
fn noise_is_refused() {
    let mut random = fastrand::Rng::with_seed(8);
    for length in 0..2000 {
        let bytes: Vec<u8> = std::iter::repeat_with(|| random.u8(..)).take(length % 60).collect();
        assert!(read(&bytes).is_err());
    }
}

#[test]
fn stored_arrays_are_as_long_as_their_shapes_say() {
    let with = |array| message(&model(13, &[array]));
    assert!(with(floats("w", &[3], &[1.0; 2])).contains("takes 12 bytes, but it has 8"));
    assert!(with(floats("w", &[-3], &[1.0; 2])).contains("negative length"));
    assert!(with(floats("w", &[i64::MAX, i64::MAX], &[])).contains("no memory is as large"));
    assert!(with(floats("w", &[1 << 40], &[])).contains("but it has 0"));
    assert!(with(floats("w", &[1; 17], &[1.0])).contains("17 dimensions"));
    assert!(with(stored("w", 8, &[1], &[])).contains("STRING"));
    assert!(with(stored("w", 1, &[1], &[])).contains("another number of elements"));
    assert!(with(stored("", 1, &[0], &[])).contains("no name"));
    let twice = [floats("w", &[1], &[1.0]), floats("w", &[1], &[2.0])];
    assert!(message(&model(13, &twice)).contains("`w` is used for a stored array and for another"));
}

#[test]
fn numbers_may_have_fields_of_their_own() {
    let read = |data_type, field: Vec<u8>| read(&model(13, &[stored("w", data_type, &[2], &field)])).unwrap();
    let array = |model: Model| model.constants["w"].clone();
    assert_eq!(array(read(7, bytes(7, [1, 2]))), Tensor::list(&[1, 2]));
    let ones = [1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat();
    let Tensor::F32(numbers) = array(read(1, bytes(4, ones))) else { panic!("no f32") };
    assert_eq!(numbers.as_slice(), Some(&[1.0, 2.0][..]));
    let Tensor::Bool(numbers) = array(read(9, [number(5, 0), number(5, 1)].concat())) else {
        panic!("no bool")
    };
    assert_eq!(numbers.as_slice(), Some(&[false, true][..]));
    let Tensor::F16(numbers) = array(read(10, [number(5, 0x3c00), number(5, 0xc000)].concat())) else {
        panic!("no f16")
    };
    assert_eq!(numbers.iter().map(|x| x.to_f32()).collect::<Vec<_>>(), [1.0, -2.0]);
}

#[test]
fn graphs_in_nodes_are_refused_by_name() {
    let graph = bytes(5, [bytes(1, "then_branch"), bytes(6, output("y")), number(20, 5)].concat());
    let error = message(&model(13, &[node("If", &["c"], &["y"], &[graph])]));
    assert!(
        error.starts_with("node 0 can't be imported: If with `then_branch` computes with a graph"),
        "{error}"
    );
}

#[test]
fn versions_are_refused_by_number() {
    assert!(message(&model(99, &[])).contains("version 99"));
    assert!(message(&[number(1, 8), bytes(7, [])].concat()).contains("does not say which version"));
    assert!(message(&[]).contains("it has no graph"));
}

#[test]
fn arrays_in_other_files_lie_in_the_folder() {
    let entry = |key: &str, value: &str| bytes(13, [bytes(1, key), bytes(2, value)].concat());
    let external = |location: &str| {
        let fields = [entry("location", location), entry("offset", "8"), number(14, 1)].concat();
        model(13, &[stored("w", 1, &[2], &fields)])
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.onnx");
    let numbers: Vec<u8> = (0..4).flat_map(|i| (i as f32).to_le_bytes()).collect();
    std::fs::write(folder.path().join("w.bin"), numbers).unwrap();
    std::fs::write(&path, external("w.bin")).unwrap();
    let model = Model::read(&path).unwrap();
    let Tensor::F32(array) = &model.constants["w"] else { panic!("no f32") };
    assert_eq!(array.as_slice(), Some(&[2.0, 3.0][..]));
    std::fs::write(&path, external("../w.bin")).unwrap();
    let error = Model::read(&path).unwrap_err().to_string();
    assert!(
        error.starts_with("the array `w` is stored in the file `../w.bin`, which can't be used"),
        "{error}"
    );
    assert!(message(&external("w.bin")).contains("read it from its file"));
    assert!(Model::read(folder.path().join("none.onnx")).unwrap_err().to_string().contains("can't be read"));
}

#[test]
fn stored_inputs_are_no_inputs() {
    let model = model(
        13,
        &[
            input("x", &[common::Length::Open, common::Length::Number(-1)]),
            input("w", &[common::Length::Number(1)]),
            list("w", &[1]),
        ],
    );
    let model = read(&model).unwrap();
    assert_eq!(model.inputs.len(), 1);
    assert_eq!(model.inputs[0].dims, [Dim::Open, Dim::Open]);
}
