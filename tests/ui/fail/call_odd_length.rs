use lift::prelude::*;

lift! {
    fn odd<N>(xs: [f32; 2 * N + 1]) -> [f32; N] {
        take(N, xs)
    }

    fn halves<M>(xs: [f32; M]) -> [f32; (M - 1) / 2] {
        odd(xs)
    }
}

fn main() {}
