use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }

    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 2.0 * x, xs)
    }
}

fn main() {}
