use lift::prelude::*;

lift! {
    fn mean<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs) / xs.len()
    }
}

fn main() {}
