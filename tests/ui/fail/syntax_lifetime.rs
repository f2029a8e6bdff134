use lift::prelude::*;

lift! {
    fn double<'a, N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }
}

fn main() {}
