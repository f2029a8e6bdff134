use lift::prelude::*;

lift! {
    fn sum<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |x| x, xs)
    }
}

fn main() {}
