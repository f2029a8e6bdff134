use lift::prelude::*;

lift! {
    fn firsts<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x.0, xs)
    }
}

fn main() {}
