use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }

    fn twice<N>(xs: [i32; N]) -> [i32; N] {
        double(xs)
    }
}

fn main() {}
