use lift::prelude::*;

const SCALE: f32 = 2.0;

lift! {
    fn scaled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * SCALE, xs)
    }
}

fn main() {}
