use lift::prelude::*;

lift! {
    fn parts<N>(xs: [f32; N]) -> ([f32; N], [f32; N]) {
        unzip(xs)
    }
}

fn main() {}
