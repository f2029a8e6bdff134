//! Convolutions as PyTorch computes them (fixtures/make.py made the files) come out the same from
//! one general program.

mod common;
mod programs;

use common::{compare, devices};
use ndarray::{Array1, Array4, ArrayD};
use ndarray_npy::{ReadableElement, read_npy};
use programs::convolution::conv2d;
use std::path::{Path, PathBuf};

/// As fixtures/cases.json says it; vertical before horizontal.
#[derive(serde::Deserialize)]
struct Case {
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
    groups: usize,
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn array<D: ndarray::Dimension>(number: usize, name: &str) -> ndarray::Array<f32, D>
where
    f32: ReadableElement,
{
    let path = fixtures().join(format!("{number:02}_{name}.npy"));
    read_npy(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn convolutions_are_pytorchs() {
    let text = std::fs::read_to_string(fixtures().join("cases.json")).expect("fixtures/make.py made it");
    let cases: Vec<Case> = serde_json::from_str(&text).expect("a list of cases");
    assert_eq!(cases.len(), 25);
    for (number, case) in cases.iter().enumerate() {
        let weights: Array4<f32> = array(number, "weight");
        let biases: Array1<f32> = array(number, "bias");
        let input: Array4<f32> = array(number, "input");
        let expected: ArrayD<f32> = array(number, "output");
        let ([sv, sh], [pv, ph], [dv, dh]) = (case.stride, case.padding, case.dilation);
        assert_eq!(input.shape()[1], case.groups * weights.shape()[1], "case {number}");
        for device in devices::all() {
            let (weights, biases, input) = (weights.view(), biases.view(), input.view());
            let output = conv2d(device, sv, sh, pv + 1, ph + 1, dv, dh, weights, biases, input)
                .unwrap_or_else(|error| panic!("case {number} on {device}: {error}"));
            let output = output.into_dyn().mapv(lift_core::scalar::Value::F32);
            let verdict = compare::check(&[output], &[expected.mapv(f64::from)]);
            assert_eq!(verdict, Ok(()), "case {number} on {device}");
        }
    }
}
