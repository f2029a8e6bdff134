use lift::prelude::*;

lift! {
    const GAIN: f32 = 2.0 * HALF;
    const HALF: f32 = GAIN / 2.0;
    const TAPS: usize = TAPS + 1;

    fn amplified<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * GAIN, xs)
    }
}

fn main() {}
