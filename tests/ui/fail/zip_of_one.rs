use lift::prelude::*;

lift! {
    fn alone<N>(xs: [f32; N]) -> [f32; N] {
        zip(xs)
    }
}

fn main() {}
