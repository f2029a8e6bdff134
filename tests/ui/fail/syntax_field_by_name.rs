use lift::prelude::*;

lift! {
    fn products<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|p| p.x * p.y, zip(xs, ys))
    }
}

fn main() {}
