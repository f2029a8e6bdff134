use lift::prelude::*;

lift! {
    fn rest<N>(xs: [f32; N]) -> [f32; N - 2] {
        drop(2, xs)
    }
}

fn main() {}
