use lift::prelude::*;

lift! {
    fn even<N>(xs: [f32; N]) -> [f32; N] {
        odd(xs)
    }

    fn odd<N>(xs: [f32; N]) -> [f32; N] {
        even(xs)
    }
}

fn main() {}
