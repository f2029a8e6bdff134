use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x: i32| x + x, xs)
    }
}

fn main() {}
