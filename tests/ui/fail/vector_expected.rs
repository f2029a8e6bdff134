use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        asScalar(xs)
    }
}

fn main() {}
