use lift::prelude::*;

lift! {
    fn products<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(a, b, c)| a * b * c, zip(xs, ys))
    }
}

fn main() {}
