use lift::prelude::*;

lift! {
    fn tiled<N, tune T: [2, 4]>(xs: [f32; 4 * N]) -> [f32; 4 * N] {
        join(split(T, xs))
    }

    pub fn f<N, tune T: [1, 3]>(xs: [f32; 4 * N]) -> [f32; 4 * N] {
        tiled(xs)
    }
}

fn main() {}
