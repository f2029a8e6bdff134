use lift::prelude::*;

lift! {
    fn third<N>(xs: [f32; N]) -> f32 {
        xs[2]
    }
}

fn main() {}
