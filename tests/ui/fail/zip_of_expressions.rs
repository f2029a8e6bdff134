use lift::prelude::*;

lift! {
    fn differences<N>(xs: [f32; N]) -> [f32; N - 1] {
        map(|(x, y)| y - x, zip(xs, drop(1, xs)))
    }
}

fn main() {}
