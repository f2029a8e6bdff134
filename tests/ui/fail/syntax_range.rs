use lift::prelude::*;

lift! {
    fn indices<N>(xs: [f32; N]) -> [f32; N] {
        map(|i| i as f32, 0..N)
    }
}

fn main() {}
