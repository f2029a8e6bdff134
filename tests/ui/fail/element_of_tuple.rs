use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        let both = (xs, ys);
        reduce(0.0, |sum, x| sum + x, both[0])
    }
}

fn main() {}
