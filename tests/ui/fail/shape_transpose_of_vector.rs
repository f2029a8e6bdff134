use lift::prelude::*;

lift! {
    fn flipped<N>(xs: [f32; N]) -> [f32; N] {
        transpose(xs)
    }
}

fn main() {}
