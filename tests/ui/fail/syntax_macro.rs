use lift::prelude::*;

lift! {
    fn ones<N>(xs: [f32; N]) -> [f32; N] {
        vec![1.0; 3]
    }
}

fn main() {}
