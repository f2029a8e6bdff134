use lift::prelude::*;

lift! {
    pub fn f<N, tune T: 1..=8>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
