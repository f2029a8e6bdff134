use lift::prelude::*;

lift! {
    fn differences<N>(xs: [f32; N]) -> [f32; N]
    where
        N >= 2,
    {
        map(|(a, b)| b - a, zip(take(N - 1, xs), drop(1, xs)))
    }
}

fn main() {}
