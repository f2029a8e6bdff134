use lift::prelude::*;

lift! {
    pub fn f<N, tune T: 2..=8>(xs: [f32; 6 * N]) -> [f32; 6 * N]
    where T % 4 == 0
    {
        join(split(T, xs))
    }
}

fn main() {}
