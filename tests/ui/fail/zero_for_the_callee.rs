use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> f32 {
        xs[0]
    }
    fn last<P>(xs: [f32; P]) -> f32
    where
        0 <= P,
    {
        first(reverse(xs))
    }
}

fn main() {}
