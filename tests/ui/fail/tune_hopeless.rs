use lift::prelude::*;

lift! {
    pub fn f<N, tune T: 1..=8>(xs: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(xs, join(split(T, pad(0, T, 0.0, xs)))))
    }
}

fn main() {}
