use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; 4 * N]) -> [f32; 4 * N] {
        map(|v| v * 2.0, asVector(4, xs))
    }
}

fn main() {}
