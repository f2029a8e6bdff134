use lift::prelude::*;

lift! {
    fn roots<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| sqrt(x)?, xs)
    }
}

fn main() {}
