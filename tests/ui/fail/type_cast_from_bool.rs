use lift::prelude::*;

lift! {
    fn masks<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| (x > 0.0) as f32, xs)
    }
}

fn main() {}
