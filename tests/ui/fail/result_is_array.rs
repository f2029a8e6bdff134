use lift::prelude::*;

lift! {
    fn total<N>(xs: [f32; N]) -> f32 {
        xs
    }
}

fn main() {}
