use lift::prelude::*;

lift! {
    const TAPS: i32 = 3;

    fn windows<N>(xs: [f32; N]) -> [[f32; TAPS]; N - 2]
    where
        N >= 3,
    {
        slide(3, 1, xs)
    }
}

fn main() {}
