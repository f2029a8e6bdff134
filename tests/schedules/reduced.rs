//! What nests have in common for which the same forms are fast.

use lift::Program;
use lift::prelude::*;
use lift_core::schedules::Ordered;

lift! {
    fn product<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }

    pub fn plain<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L]) -> [[f32; M]; N] {
        product(a, b)
    }

    pub fn biased<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L], biases: [f32; M]) -> [[f32; M]; N] {
        map(|row| map(|(x, bias)| max(x + bias, 0.0), zip(row, biases)), product(a, b))
    }

    pub fn with_residual<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L], others: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|(row, others)| map(|(x, other)| x + other, zip(row, others)), zip(product(a, b), others))
    }

    pub fn of_a_turned_one<N, M, L>(a: [[f32; L]; N], const b: [[f32; L]; M]) -> [[f32; M]; N] {
        product(a, transpose(b))
    }

    pub fn of_squares<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * x * y, zip(row, column)), transpose(b)), a)
    }

    pub fn of_two_sums<N, M, L>(a: [[f32; L]; N], const b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(
            |column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)) / reduce(1.0, |acc, y| acc + y * y, column),
            transpose(b),
        ), a)
    }
}

fn reduced(program: &Program) -> Option<String> {
    Ordered::of(program).reduced()
}

#[test]
fn what_is_done_with_sums_does_not_matter() {
    let alone = reduced(plain::program()).expect("it is a nest around one reduction");
    for like in [biased::program(), with_residual::program()] {
        assert_eq!(reduced(like).as_ref(), Some(&alone), "{}", like.name());
    }
    for other in [of_a_turned_one::program(), of_squares::program()] {
        let other = reduced(other).expect("it is a nest around one reduction");
        assert_ne!(other, alone);
    }
    assert_eq!(reduced(of_two_sums::program()), None);
}
