use lift::prelude::*;

lift! {
    fn add<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, ys))
    }
}

fn main() {}
