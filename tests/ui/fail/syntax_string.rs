use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| "twice", xs)
    }
}

fn main() {}
