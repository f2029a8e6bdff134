use lift::prelude::*;

lift! {
    fn stretch<N, FACTOR>(xs: [f32; N]) -> [f32; N * FACTOR] {
        join(map(|x| repeat(FACTOR, x), xs))
    }

    fn double<N>(xs: [f32; N]) -> [f32; 2 * N] {
        stretch(xs)
    }
}

fn main() {}
