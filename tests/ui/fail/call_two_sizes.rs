use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, ys))
    }

    fn mixed<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; N] {
        add(xs, ys)
    }
}

fn main() {}
