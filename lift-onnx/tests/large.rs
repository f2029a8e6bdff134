//! Networks of a hundred thousand nodes, nodes with many inputs, and weights of three gigabytes.

mod common;

use common::Length::Number;
use common::{bytes, floats, input, int, list, model, node, npy, number, output, stored};
use lift::{Argument, Device};
use lift_onnx::{Model, OnnxError, Tensor};
use ndarray::{ArrayD, IxDyn};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The first result of a model for ones, computed as it is written.
fn computed(model: &Model, shape: &[usize]) -> Vec<f64> {
    let network = model.graph(&[]).unwrap().compile_as_written(&Device::cpu(), &[]).unwrap();
    let ones = ArrayD::<f32>::ones(IxDyn(shape));
    let mut outputs = network.run(&[Argument::from(&ones)]).unwrap();
    npy::numbers(&npy::tensor(outputs.swap_remove(0)))
}

/// A row of nodes, each of which reads the one before it, and what each adds to the model.
fn row(length: usize, each: impl Fn(&str, &str, &mut Vec<Vec<u8>>)) -> Model {
    let name = |i: usize| if i == 0 { "x".to_string() } else { format!("v{i}") };
    let mut parts = vec![input("x", &[Number(2)])];
    for i in 0..length {
        each(&name(i), &name(i + 1), &mut parts);
    }
    parts.push(output(&name(length)));
    Model::from_bytes(&model(13, &parts)).unwrap()
}

#[test]
fn rows_of_a_hundred_thousand_nodes_are_compiled() {
    let relu = row(100_000, |from, to, parts| parts.push(node("Relu", &[from], &[to], &[])));
    assert_eq!(computed(&relu, &[2]), [1.0, 1.0]);
}

/// Nodes that are computed one by one, and nodes with weights of their own.
#[test]
fn rows_of_many_kernels_and_weights_are_compiled() {
    let softmax = row(20_000, |from, to, parts| parts.push(node("Softmax", &[from], &[to], &[])));
    assert_eq!(computed(&softmax, &[2]), [0.5, 0.5]);
    let sums = row(20_000, |from, to, parts| {
        let weights = format!("{to} weights");
        parts.push(floats(&weights, &[2], &[1.0, 2.0]));
        parts.push(node("Add", &[from, &weights], &[to], &[]));
    });
    assert_eq!(computed(&sums, &[2]), [20_001.0, 40_001.0]);
}

#[test]
fn twenty_thousand_results_are_returned() {
    let mut parts = vec![input("x", &[Number(2)])];
    for i in 0..20_000 {
        parts.push(node("Neg", &["x"], &[&format!("v{i}")], &[]));
        parts.push(output(&format!("v{i}")));
    }
    let model = Model::from_bytes(&model(13, &parts)).unwrap();
    assert_eq!(computed(&model, &[2]), [-1.0, -1.0]);
}

/// What is put together is copied by a kernel for each array, so there are fewer of these here.
#[test]
fn nodes_may_have_many_inputs() {
    let many = |operator: &str, count: usize, attributes: &[Vec<u8>]| {
        let inputs = vec!["x"; count];
        let parts = [input("x", &[Number(2)]), node(operator, &inputs, &["y"], attributes), output("y")];
        computed(&Model::from_bytes(&model(13, &parts)).unwrap(), &[2])
    };
    assert_eq!(many("Sum", 1000, &[]), [1000.0; 2]);
    assert_eq!(many("Concat", 130, &[int("axis", 0)]), [1.0; 260]);
}

/// Each place is a part of the program that reads it: there may not be any number of them.
#[test]
fn elements_from_too_many_places_are_refused() {
    let mut random = fastrand::Rng::with_seed(1);
    let places: Vec<i64> = (0..100_000).map(|_| random.i64(0..50)).collect();
    let parts = [
        input("x", &[Number(50)]),
        list("places", &places),
        node("Gather", &["x", "places"], &["y"], &[]),
        output("y"),
    ];
    let error = Model::from_bytes(&model(13, &parts)).unwrap().recipe(&[]).unwrap_err();
    assert!(matches!(&error, OnnxError::Unsupported { node, .. } if node == "node 0"), "{error}");
    assert!(error.to_string().contains("at most 4096 are possible"), "{error}");
}

/// Three gigabytes and a little more.
const LARGE: u64 = 3 << 30;

/// A file without contents but for some numbers at its end: it takes no room on disks that leave out what is empty.
fn sparse(folder: &Path, last: &[f32]) -> PathBuf {
    let path = folder.join("weights.bin");
    let mut file = File::create(&path).unwrap();
    let end: Vec<u8> = last.iter().flat_map(|x| x.to_le_bytes()).collect();
    file.set_len(LARGE).unwrap();
    file.seek(SeekFrom::Start(LARGE - end.len() as u64)).unwrap();
    file.write_all(&end).unwrap();
    path
}

/// An array that lies in the file from a byte on.
fn external(name: &str, shape: &[i64], offset: u64) -> Vec<u8> {
    let entry = |key: &str, value: &str| bytes(13, [bytes(1, key), bytes(2, value)].concat());
    let offset = offset.to_string();
    let place = [entry("location", "weights.bin"), entry("offset", &offset), number(14, 1)].concat();
    stored(name, 1, shape, &place)
}

fn read(folder: &Path, parts: &[Vec<u8>]) -> Result<Model, OnnxError> {
    let path = folder.join("model.onnx");
    std::fs::write(&path, model(13, parts)).unwrap();
    Model::read(path)
}

#[test]
fn weights_may_lie_three_gigabytes_into_a_file() {
    let folder = tempfile::tempdir().unwrap();
    sparse(folder.path(), &[1.0, 2.0, 3.0]);
    let model = read(folder.path(), &[external("w", &[2], LARGE - 8)]).unwrap();
    assert_eq!(model.constants["w"], Tensor::F32(ndarray::arr1(&[2.0, 3.0]).into_dyn().into_shared()));
    let beyond = read(folder.path(), &[external("w", &[3], LARGE - 8)]).unwrap_err();
    assert!(matches!(&beyond, OnnxError::External { tensor, .. } if tensor == "w"), "{beyond}");
    let larger = read(folder.path(), &[external("w", &[1 << 30], 0)]).unwrap_err();
    assert!(larger.to_string().contains("4294967296 bytes from byte 0 on, but the file has only 3221225472"));
}

/// A part of the weights is taken while the model is imported, another array is made of all of them when it runs.
#[test]
#[ignore = "takes 6 GiB of memory, which not every machine has, and minutes where nothing is optimised"]
fn weights_may_take_three_gigabytes() {
    let folder = tempfile::tempdir().unwrap();
    sparse(folder.path(), &[1.0, 2.0, 3.0]);
    let columns = LARGE as i64 / 4 / 3;
    let parts = [
        input("x", &[Number(3), Number(1)]),
        external("w", &[3, columns], 0),
        list("start", &[columns - 2]),
        list("end", &[i64::MAX]),
        list("axis", &[1]),
        node("Slice", &["w", "start", "end", "axis"], &["last"], &[]),
        node("Add", &["last", "x"], &["y"], &[]),
        node("Mul", &["w", "x"], &["product"], &[]),
        node("ReduceMax", &["product"], &["z"], &[int("keepdims", 0)]),
        output("y"),
        output("z"),
    ];
    let model = read(folder.path(), &parts).unwrap();
    assert_eq!(model.constants["w"].shape(), [3, columns as usize]);
    let network = model.graph(&[]).unwrap().compile_as_written(&Device::cpu(), &[]).unwrap();
    let ones = ArrayD::<f32>::ones(IxDyn(&[3, 1]));
    let outputs = network.run(&[Argument::from(&ones)]).unwrap();
    let results: Vec<Vec<f64>> =
        outputs.into_iter().map(|output| npy::numbers(&npy::tensor(output))).collect();
    assert_eq!(results, [vec![1.0, 1.0, 1.0, 1.0, 3.0, 4.0], vec![3.0]]);
}
