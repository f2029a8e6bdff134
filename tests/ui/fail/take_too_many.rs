use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> [f32; 8] {
        take(8, xs)
    }
}

fn main() {}
