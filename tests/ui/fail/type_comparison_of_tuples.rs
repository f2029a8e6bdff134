use lift::prelude::*;

lift! {
    fn same<N>(xs: [f32; N], ys: [f32; N]) -> [bool; N] {
        map(|p| p == p, zip(xs, ys))
    }
}

fn main() {}
