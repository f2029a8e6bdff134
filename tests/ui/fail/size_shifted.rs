use lift::prelude::*;

lift! {
    fn halves<N>(xs: [f32; N]) -> [f32; N >> 1] {
        take(N / 2, xs)
    }
}

fn main() {}
