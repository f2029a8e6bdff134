use lift::prelude::*;

lift! {
    pub fn tiles<N, tune TILE: 0.5..=4.0>(xs: [f32; N]) -> [f32; N] {
        join(split(TILE, xs))
    }
}

fn main() {}
