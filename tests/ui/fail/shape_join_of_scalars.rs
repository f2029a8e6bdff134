use lift::prelude::*;

lift! {
    fn flat<N>(xs: [f32; N]) -> [f32; N] {
        join(xs)
    }
}

fn main() {}
