use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; 3 * N]) -> [f32; 3 * N] {
        asScalar(asVector(3, xs))
    }
}

fn main() {}
