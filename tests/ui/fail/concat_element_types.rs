use lift::prelude::*;

lift! {
    fn both<N>(xs: [f32; N], ys: [i32; N]) -> [f32; 2 * N] {
        concat(xs, ys)
    }
}

fn main() {}
