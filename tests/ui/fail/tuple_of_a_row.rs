use lift::prelude::*;

lift! {
    fn sums<N>(xs: [f32; 2 * N]) -> [f32; N] {
        map(|(a, b)| a + b, split(2, xs))
    }
}

fn main() {}
