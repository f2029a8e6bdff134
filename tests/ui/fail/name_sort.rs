use lift::prelude::*;

lift! {
    fn sorted<N>(xs: [f32; N]) -> [f32; N] {
        sort(xs)
    }
}

fn main() {}
