//! What the tests of operators share: random arrays, and the comparison of what a program means with what is expected.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use lift::ndarray::{ArrayD, IxDyn};
use lift::{Argument, Device, Output, Program};

/// Where a program is computed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum On {
    /// By its meaning alone.
    Meaning,
    /// And by the C compiler's code.
    Device,
}

/// An array of small whole numbers: sums of products are exact in any order.
pub fn whole(shape: &[usize], random: &mut fastrand::Rng) -> ArrayD<f32> {
    ArrayD::from_shape_simple_fn(IxDyn(shape), || random.i32(-8..=8) as f32)
}

/// An array of numbers from a range.
pub fn real(shape: &[usize], least: f32, most: f32, random: &mut fastrand::Rng) -> ArrayD<f32> {
    ArrayD::from_shape_simple_fn(IxDyn(shape), || least + (most - least) * random.f32())
}

/// What a program gives, everywhere that is asked for.
pub fn outputs(program: &Program, free: &[usize], arguments: &[Argument], on: On) -> Vec<Output> {
    let failed = |error: lift::Error| panic!("{}: {error}", program.name());
    let mut outputs = lift::interpret(program, free, arguments).unwrap_or_else(failed);
    if on == On::Device {
        outputs.extend(lift::run(program, &Device::cpu(), free, arguments).unwrap_or_else(failed));
    }
    outputs
}

/// A program of `f32` gives this, up to a difference relative to what is expected or to 1.
pub fn close(
    program: &Program,
    free: &[usize],
    arguments: &[&ArrayD<f32>],
    expected: &ArrayD<f32>,
    tolerance: f32,
    on: On,
) {
    let arguments: Vec<Argument> = arguments.iter().map(|a| (*a).into()).collect();
    for output in outputs(program, free, &arguments, on) {
        let got: ArrayD<f32> = output.into_array().expect("an array of f32");
        let (name, shapes) = (program.name(), (got.shape().to_vec(), expected.shape().to_vec()));
        assert_eq!(shapes.0, shapes.1, "the shape of {name} with {free:?}");
        for (index, wanted) in expected.indexed_iter() {
            let got = got[&index];
            let alike = got == *wanted || (got.is_nan() && wanted.is_nan());
            let near = (got - wanted).abs() <= tolerance * wanted.abs().max(1.0);
            assert!(alike || near, "{name} with {free:?} at {index:?}: {got}, not {wanted}");
        }
    }
}

/// A program of `f32` gives exactly this.
pub fn same(program: &Program, free: &[usize], arguments: &[&ArrayD<f32>], expected: &ArrayD<f32>, on: On) {
    close(program, free, arguments, expected, 0.0, on);
}

/// Every index of an array of this shape.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, n| {
        all.iter().flat_map(|index| (0..*n).map(move |i| [&index[..], &[i]].concat())).collect()
    })
}

/// An array by its elements.
pub fn array(shape: &[usize], mut f: impl FnMut(&[usize]) -> f32) -> ArrayD<f32> {
    let elements = indices(shape).iter().map(|index| f(index)).collect();
    ArrayD::from_shape_vec(IxDyn(shape), elements).expect("one element for each index")
}
