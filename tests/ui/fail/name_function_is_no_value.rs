use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * sqrt, xs)
    }
}

fn main() {}
