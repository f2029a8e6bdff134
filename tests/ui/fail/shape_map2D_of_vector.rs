use lift::prelude::*;

lift! {
    fn negate<N>(xs: [f32; N]) -> [f32; N] {
        map2D(|x| -x, xs)
    }
}

fn main() {}
