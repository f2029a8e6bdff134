use lift::prelude::*;

lift! {
    pub fn tiles<N, tune TILE: 1..64>(xs: [f32; N]) -> [f32; N] {
        join(split(TILE, xs))
    }
}

fn main() {}
