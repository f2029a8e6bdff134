use lift::prelude::*;

lift! {
    fn tail<N>(xs: [f32; N + 1]) -> [f32; N] {
        drop(1, xs)
    }

    fn twice<N>(xs: [f32; N]) -> [f32; N - 1] {
        tail(xs)
    }
}

fn main() {}
