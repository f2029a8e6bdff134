use lift::prelude::*;

lift! {
    const GAIN: i32 = 1.5;
    const TAPS: [f32; 3] = [1.0, 2.0];

    fn amplified<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
