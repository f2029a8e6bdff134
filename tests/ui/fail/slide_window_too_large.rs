use lift::prelude::*;

lift! {
    fn smooth<N>(xs: [f32; N]) -> [f32; N - 4] {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(5, 1, xs))
    }
}

fn main() {}
