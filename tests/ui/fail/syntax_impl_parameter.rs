use lift::prelude::*;

lift! {
    fn apply<N>(f: impl Fn(f32) -> f32, xs: [f32; N]) -> [f32; N] {
        map(f, xs)
    }
}

fn main() {}
