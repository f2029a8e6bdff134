use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], y: f32) -> [f32; N] {
        map(|(a, b)| a + b, zip(xs, y))
    }
}

fn main() {}
