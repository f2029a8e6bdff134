use lift::prelude::*;

lift! {
    fn positive<N>(xs: [f32; N]) -> i32 {
        reduce(0, |n, x| n + (x > 0.0), xs)
    }
    fn half<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |sum, x| (x > 0.5) * x + sum, xs)
    }
}

fn main() {}
