use lift::prelude::*;

lift! {
    pub fn parts<N>(xs: [f32; N]) -> ([f32; N], (f32, f32)) {
        (xs, (1.0, 2.0))
    }
}

fn main() {}
