use lift::prelude::*;

lift! {
    fn largest<N>(xs: [f32; N]) -> i32 {
        argmax(xs)
    }
}

fn main() {}
