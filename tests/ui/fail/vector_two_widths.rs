use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; 8 * N], ys: [f32; 4 * N]) -> [f32; 8 * N] {
        asScalar(map(|(a, b)| a + b, zip(asVector(8, xs), asVector(4, ys))))
    }
}

fn main() {}
