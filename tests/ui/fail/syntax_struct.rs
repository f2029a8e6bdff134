use lift::prelude::*;

lift! {
    struct Pixel {
        red: f32,
    }

    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }
}

fn main() {}
