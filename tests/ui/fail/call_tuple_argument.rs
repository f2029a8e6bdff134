use lift::prelude::*;

lift! {
    fn dot<N>(pairs: [(f32, f32); N]) -> f32 {
        reduce(0.0, |sum, (x, y)| sum + x * y, pairs)
    }
    fn counted<N>(xs: [f32; N], counts: [i32; N]) -> f32 {
        dot(zip(xs, counts))
    }
}

fn main() {}
