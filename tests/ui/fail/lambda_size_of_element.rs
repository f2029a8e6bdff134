use lift::prelude::*;

lift! {
    fn counted<N>(xs: [f32; N]) -> [f32; N] {
        map(|i: usize| i as f32, xs)
    }
}

fn main() {}
