use lift::prelude::*;

lift! {
    fn halves<N>(n: i32, xs: [f32; N]) -> [[f32; 2]; N / 2] {
        split(n, xs)
    }
}

fn main() {}
