use lift::prelude::*;

lift! {
    fn count<N>(xs: [f32; N]) -> i32 {
        reduce(0, |acc, x| x > 0.0, xs)
    }
}

fn main() {}
