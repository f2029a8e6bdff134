use lift::prelude::*;

lift! {
    fn flip<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| !x, xs)
    }
}

fn main() {}
