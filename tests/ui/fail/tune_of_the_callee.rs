use lift::prelude::*;

lift! {
    fn tiled<N, tune T: 1..=8>(xs: [f32; N]) -> [f32; N] {
        join(split(T, xs))
    }

    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        tiled(xs)
    }
}

fn main() {}
