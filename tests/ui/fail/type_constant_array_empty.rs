use lift::prelude::*;

lift! {
    fn weights<N>(xs: [f32; N]) -> [f32; 0] {
        []
    }
}

fn main() {}
