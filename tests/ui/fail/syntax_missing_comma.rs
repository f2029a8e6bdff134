use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0 xs)
    }
}

fn main() {}
