use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], xs: [f32; N]) -> [f32; N] {
        xs
    }
}

fn main() {}
