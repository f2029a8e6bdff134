use lift::prelude::*;

lift! {
    fn sums<N>(xs: [f32; N]) -> [f32; N] {
        scan(|acc, x| acc + x, xs)
    }
}

fn main() {}
