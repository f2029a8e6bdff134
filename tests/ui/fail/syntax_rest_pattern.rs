use lift::prelude::*;

lift! {
    fn firsts<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, ..)| x, zip(xs, ys))
    }
}

fn main() {}
