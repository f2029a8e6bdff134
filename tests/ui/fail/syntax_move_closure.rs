use lift::prelude::*;

lift! {
    fn scale<N>(alpha: f32, xs: [f32; N]) -> [f32; N] {
        map(move |x| alpha * x, xs)
    }
}

fn main() {}
