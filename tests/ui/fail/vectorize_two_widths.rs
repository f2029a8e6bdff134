use lift::prelude::*;

lift! {
    pub fn products<N>(xs: [f32; 8 * N], ys: [f32; 4 * N]) -> [f32; 4 * N] {
        let multiply = vectorize(4, |(x, y)| x * y);
        asScalar(map(multiply, zip(asVector(8, xs), asVector(4, ys))))
    }
    pub fn doubled<N>(xs: [f32; 8 * N]) -> [f32; 8 * N] {
        asScalar(map(vectorize(4, |x| x + x), asVector(8, xs)))
    }
}

fn main() {}
