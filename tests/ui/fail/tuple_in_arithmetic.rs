use lift::prelude::*;

lift! {
    fn products<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|p| p * 2.0, zip(xs, ys))
    }
}

fn main() {}
