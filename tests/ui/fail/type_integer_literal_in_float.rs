use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 2 * x + 1, xs)
    }
}

fn main() {}
