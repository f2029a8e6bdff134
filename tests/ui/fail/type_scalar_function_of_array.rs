use lift::prelude::*;

lift! {
    fn roots<N>(xs: [f32; N]) -> [f32; N] {
        sqrt(xs)
    }
}

fn main() {}
