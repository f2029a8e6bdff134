use lift::prelude::*;

lift! {
    pub fn f<N, M>(xs: [f32; N], ys: [f32; M]) -> f32 {
        dot(xs, ys)
    }
}

fn main() {}
