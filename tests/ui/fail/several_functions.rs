use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> [[f32; 2]; N / 2] {
        split(2, xs)
    }

    fn second<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + unknown, xs)
    }

    fn third<N>(xs: [f32; N]) -> [f32; N] {
        second(join(first(xs)))
    }
}

fn main() {}
