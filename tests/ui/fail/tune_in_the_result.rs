use lift::prelude::*;

lift! {
    pub fn f<N, tune T: 1..=8>(xs: [f32; N]) -> [[f32; T]; N / T] {
        split(T, xs)
    }
}

fn main() {}
