use lift::prelude::*;

lift! {
    pub fn f<N, tune T: 1..=8>(xs: [[f32; T]; N]) -> [f32; N * T] {
        join(xs)
    }
}

fn main() {}
