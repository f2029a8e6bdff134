use lift::prelude::*;

lift! {
    fn blur<R, N>(xs: [f32; N]) -> [f32; N - 2 * R] {
        map(|w| reduce(0.0, |acc, x| acc + x, w), slide(2 * R + 1, 1, xs))
    }
}

fn main() {}
