use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * / 2.0, xs)
    }

    fn second<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + , xs)
    }
}

fn main() {}
