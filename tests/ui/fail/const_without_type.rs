use lift::prelude::*;

lift! {
    const GAIN = 2.0;

    fn amplified<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
