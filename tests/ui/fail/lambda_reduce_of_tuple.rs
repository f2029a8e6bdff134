use lift::prelude::*;

lift! {
    fn total<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |(acc, x)| acc + x, xs)
    }
}

fn main() {}
