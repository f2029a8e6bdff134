use lift::prelude::*;

lift! {
    fn largest<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(max, xs)
    }
}

fn main() {}
