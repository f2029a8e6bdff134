use lift::prelude::*;

lift! {
    fn negate<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| -x, xs, xs)
    }
}

fn main() {}
