//! Models that hunts found: each was refused, or its kernels were, and nothing is wrong with it.

mod common;

use common::Length::Number;
use common::{floats, input, int, model, node, npy, output};
use lift::{Argument, Device};
use lift_onnx::Model;
use ndarray::{ArrayD, IxDyn};

/// The first result for these numbers, as the graph is written and in forms that are likely to be fast.
fn computed(parts: &[Vec<u8>], shape: &[usize], numbers: Vec<f32>) -> [Vec<f64>; 2] {
    let graph = Model::from_bytes(&model(13, parts)).unwrap().graph(&[]).unwrap();
    let x = ArrayD::from_shape_vec(IxDyn(shape), numbers).unwrap();
    [graph.compile_as_written(&Device::cpu(), &[]), graph.compile(&Device::cpu(), &[])].map(|network| {
        let mut outputs = network.unwrap().run(&[Argument::from(&x)]).unwrap();
        npy::numbers(&npy::tensor(outputs.swap_remove(0)))
    })
}

/// Computed in the convolution, the activation's shape does not say how many groups there are.
#[test]
fn activations_before_grouped_convolutions() {
    let weights: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let parts = [
        input("x", &[Number(1), Number(4), Number(1), Number(2)]),
        floats("w", &[6, 2, 1, 1], &weights),
        node("Relu", &["x"], &["a"], &[]),
        node("Conv", &["a", "w"], &["y"], &[int("group", 2)]),
        output("y"),
    ];
    let x = vec![1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0];
    // Of the second position nothing is left; the first has channels 1 and 2 for the first three kernels, 3 and 4 for the others.
    let first = [(0.0, 1.0), (2.0, 3.0), (4.0, 5.0)].map(|(a, b)| a + 2.0 * b);
    let second = [(6.0, 7.0), (8.0, 9.0), (10.0, 11.0)].map(|(a, b)| 3.0 * a + 4.0 * b);
    let expected: Vec<f64> = first.into_iter().chain(second).flat_map(|y| [y, 0.0]).collect();
    assert_eq!(computed(&parts, &[1, 4, 1, 2], x), [expected.clone(), expected]);
}

/// A choice between two vectors, of which one is a product.
#[test]
fn norms_in_vectors() {
    let shape = [2, 6, 8];
    let parts = [
        input("x", &shape.map(|n| Number(n as i64))),
        node("LpNormalization", &["x"], &["y"], &[int("axis", 1), int("p", 1)]),
        output("y"),
    ];
    let x: Vec<f32> = (0..96).map(|i| if i % 8 == 3 { 0.0 } else { (i % 7) as f32 - 2.0 }).collect();
    let mut expected = vec![];
    for (at, value) in x.iter().enumerate() {
        let (outer, inner) = (at / 48, at % 8);
        let sum: f64 = (0..6).map(|c| f64::from(x[outer * 48 + c * 8 + inner].abs())).sum();
        expected.push(if sum == 0.0 { 0.0 } else { f64::from(*value) / sum });
    }
    for found in computed(&parts, &shape, x) {
        let differs = found.iter().zip(&expected).any(|(a, b)| (a - b).abs() > 1e-6);
        assert!(found.len() == expected.len() && !differs, "{found:?} instead of {expected:?}");
    }
}
