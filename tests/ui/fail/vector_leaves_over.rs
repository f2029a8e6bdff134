use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        asScalar(map(|v| v * 2.0, asVector(4, xs)))
    }
}

fn main() {}
