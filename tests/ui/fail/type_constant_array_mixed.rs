use lift::prelude::*;

lift! {
    fn weights<N>(xs: [f32; N]) -> [f32; 3] {
        [1, 2.0, 1]
    }
}

fn main() {}
