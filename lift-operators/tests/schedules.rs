//! Operators that take most of a network's time have more forms than the one that is written.

use lift::tune::Tuning;
use lift::{Device, Program};
use lift_operators::{matrix, window};

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
