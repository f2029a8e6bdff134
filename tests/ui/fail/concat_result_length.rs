use lift::prelude::*;

lift! {
    fn both<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; N] {
        concat(xs, ys)
    }
}

fn main() {}
