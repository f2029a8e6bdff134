use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, ys))
    }

    fn shifted<N>(xs: [f32; N + 1]) -> [f32; N] {
        add(drop(1, xs), xs)
    }
}

fn main() {}
