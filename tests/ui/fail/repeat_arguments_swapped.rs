use lift::prelude::*;

lift! {
    fn fill<N>(x: f32, xs: [f32; N]) -> [f32; N] {
        repeat(x, N)
    }
}

fn main() {}
