use lift::prelude::*;

lift! {
    fn largest<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(|best, x| x > best, drop(1, xs))
    }
}

fn main() {}
