use lift::prelude::*;

lift! {
    fn shift<N>(xs: [f32; N]) -> [f32; N] {
        reorder(|i| i + 1, xs)
    }
}

fn main() {}
