use lift::prelude::*;

lift! {
    fn windows<N>(xs: [f32; N]) -> [[f32; 3]; (N - 1) / 2]
    where
        N >= 3,
    {
        slideStrict(3, 2, xs)
    }
}

fn main() {}
