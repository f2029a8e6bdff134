use lift::prelude::*;

lift! {
    fn doubled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
    fn rest<N>(xs: [f32; N]) -> [f32; N - 1] {
        doubled::<N - 1>(drop(1, xs))
    }
}

fn main() {}
