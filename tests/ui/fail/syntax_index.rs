use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> f32 {
        xs[0]
    }
}

fn main() {}
