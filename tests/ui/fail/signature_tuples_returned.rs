use lift::prelude::*;

lift! {
    pub fn pairs<N>(xs: [f32; N], ys: [f32; N]) -> [(f32, f32); N] {
        zip(xs, ys)
    }
}

fn main() {}
