use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, ys))
    }

    fn double<N>(xs: [f32; N]) -> [f32; N] {
        add(xs)
    }
}

fn main() {}
