use lift::prelude::*;

lift! {
    fn rest<N>(xs: [f32; N]) -> [f32; N + 1] {
        drop(-1, xs)
    }
}

fn main() {}
