use lift::prelude::*;

lift! {
    fn scale<N>(gain: f32, xs: [f32; N]) -> [f32; N] {
        map(|x| gain * x, xs)
    }

    fn double<N>(xs: [f32; N]) -> [f32; N] {
        scale(2, xs)
    }
}

fn main() {}
