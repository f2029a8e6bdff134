use lift::prelude::*;

lift! {
    pub fn f<N, tune T: [2, 4]>(xs: [f32; N]) -> [f32; N] {
        join(split(T, xs))
    }
}

fn main() {}
