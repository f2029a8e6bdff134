use lift::prelude::*;

lift! {
    fn products<N>(xs: [f32; N]) -> [f32; N] {
        map(|(a, b)| a * b, xs)
    }
}

fn main() {}
