use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; 4 * N]) -> [f32; 4 * N] {
        asScalar(map(vectorize(|x| x * 2.0), asVector(4, xs)))
    }
}

fn main() {}
