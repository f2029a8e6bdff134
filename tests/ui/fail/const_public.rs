use lift::prelude::*;

lift! {
    pub const GAIN: f32 = 2.0;

    fn amplified<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
