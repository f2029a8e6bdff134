use lift::prelude::*;

lift! {
    const GAIN: f32 = 2.0;

    fn amplified<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| GAIN(x), xs)
    }
}

fn main() {}
