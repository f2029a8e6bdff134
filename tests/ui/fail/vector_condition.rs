use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; 4 * N], ys: [f32; 2 * N]) -> [f32; 2 * N] {
        asScalar(map(|(v, w)| if v > 0.0 { w } else { w * 2.0 }, zip(asVector(4, xs), asVector(2, ys))))
    }
}

fn main() {}
