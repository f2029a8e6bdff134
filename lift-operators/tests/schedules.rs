//! Operators that take most of a network's time have more forms than the one that is written.

use lift::tune::Tuning;
use lift::{Device, Program};
use lift_operators::layout::{self, Padding};
use lift_operators::{Scalar, along, elementwise, matrix, over, rows, scalar, window};

const BOTH: [&str; 2] = ["blocked", "combined"];

fn applies(program: &Program, sizes: &[usize], schedules: &[&str]) {
    let tuning = Tuning::new(program, &Device::cpu(), sizes).expect("sizes that it admits");
    let missing: Vec<String> = tuning.not_applicable().iter().map(|n| n.schedule.to_string()).collect();
    for schedule in schedules {
        assert!(
            !missing.iter().any(|name| name == schedule),
            "{schedule} of {}: {missing:?}",
            program.name()
        );
    }
}

#[test]
fn convolutions() {
    let conv = window::conv::program();
    applies(conv, &[1, 32, 16, 3, 3, 28, 28, 1, 1, 1, 1, 1, 1, 1, 1], &BOTH);
    applies(conv, &[4, 32, 16, 1, 1, 28, 28, 2, 2, 1, 1, 0, 0, 0, 0], &BOTH);
    applies(conv, &[1, 32, 16, 3, 3, 28, 28, 1, 1, 2, 2, 2, 2, 2, 2], &BOTH);
    applies(window::conv_grouped::program(), &[1, 4, 8, 4, 3, 3, 28, 28, 1, 1, 1, 1, 1, 1, 1, 1], &BOTH);
    applies(
        window::conv_depthwise::program(),
        &[1, 32, 3, 3, 28, 28, 1, 1, 1, 1, 1, 1, 1, 1],
        &["combined", "tiled", "direct"],
    );
    applies(
        window::conv_transposed::program(),
        &[1, 16, 16, 4, 4, 14, 14, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0],
        &BOTH,
    );
}

/// Padding of its own in front of a convolution.
#[test]
fn padded_convolutions() {
    let pad = |axis| layout::pad(Scalar::F32, 4, axis, (1, 1), Padding::Value(0.0)).expect("an axis");
    let padded = pad(3).of("x", &pad(2)).expect("arrays");
    let conv = window::conv::program().of("x", &padded).expect("arrays");
    applies(&conv, &[16, 28, 28, 1, 32, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0], &BOTH);
}

/// A bias and an activation behind a convolution, each a program of its own.
#[test]
fn layers() {
    let all = vec![true; 4];
    let bias = elementwise(scalar::add::program(), 4, &[all.clone(), vec![false, true, false, false]]);
    let biased = bias.expect("two parameters").of("a", window::conv::program()).expect("arrays");
    let activation = elementwise(scalar::relu::program(), 4, &[all]).expect("one parameter");
    let layer = activation.of("x", &biased).expect("arrays");
    applies(&layer, &[1, 32, 16, 3, 3, 28, 28, 1, 1, 1, 1, 1, 1, 1, 1], &BOTH);
}

#[test]
fn products() {
    for product in [
        matrix::matmul::program(),
        matrix::matmul_nt::program(),
        matrix::matmul_tn::program(),
        matrix::matmul_tt::program(),
    ] {
        applies(product, &[64, 64, 64], &BOTH);
    }
    let batched = matrix::matmul::program().each("B", &["a", "b"]).expect("a name that is free");
    applies(&batched, &[4, 64, 64, 64], &BOTH);
}

#[test]
fn rows_that_lie_across() {
    for program in [
        rows::softmax::program(),
        rows::log_softmax::program(),
        rows::normalized::program(),
        rows::l2_normalized::program(),
    ] {
        applies(&along(program, 4, 1).expect("an axis"), &[1, 28, 28, 64], &["lanes"]);
    }
    let mean = over(rows::mean::program(), 4, &[2, 3]).expect("axes");
    applies(&mean, &[1, 64, 28, 28], &["dots", "rows"]);
}

#[test]
fn pooling() {
    applies(
        window::max_pool::program(),
        &[1, 64, 3, 3, 56, 56, 2, 2, 1, 1, 1, 1, 1, 1],
        &["framed", "lanes"],
    );
    applies(window::average_pool::program(), &[1, 64, 3, 3, 56, 56, 1, 1, 1, 1, 1, 1, 1, 1], &["combined"]);
}
