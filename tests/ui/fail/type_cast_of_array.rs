use lift::prelude::*;

lift! {
    fn floats<N>(xs: [i32; N]) -> [f32; N] {
        xs as f32
    }
}

fn main() {}
