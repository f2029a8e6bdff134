use lift::prelude::*;

lift! {
    fn doubled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
    fn all<N>(xs: [f32; N]) -> [f32; N] {
        doubled::<{ N + 1 }>(xs)
    }
}

fn main() {}
