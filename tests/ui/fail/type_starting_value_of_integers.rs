use lift::prelude::*;

lift! {
    fn total<N>(xs: [i32; N]) -> i32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }
}

fn main() {}
