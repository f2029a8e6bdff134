use lift::prelude::*;

lift! {
    fn quarters<N>(xs: [f32; N]) -> [[f32; 4]; N / 4]
    where
        N % 4 == 0,
    {
        split(4, xs)
    }

    fn sums<N>(xs: [f32; N + 1]) -> [f32; (N + 1) / 4] {
        map(|row| reduce(0.0, |acc, x| acc + x, row), quarters(xs))
    }
}

fn main() {}
