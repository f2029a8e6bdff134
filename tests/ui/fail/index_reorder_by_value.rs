use lift::prelude::*;

lift! {
    fn shift<N>(n: i32, xs: [f32; N]) -> [f32; N] {
        reorder(|i| (i + n) % N, xs)
    }
}

fn main() {}
