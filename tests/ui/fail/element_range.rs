use lift::prelude::*;

lift! {
    fn rest<N>(xs: [f32; N]) -> [f32; N - 1] {
        xs[1..N]
    }
}

fn main() {}
