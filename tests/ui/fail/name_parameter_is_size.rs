use lift::prelude::*;

lift! {
    fn double<N>(N: [f32; N]) -> f32 {
        1.0
    }
}

fn main() {}
