use lift::prelude::*;

lift! {
    fn windows<N>(xs: [f32; N]) -> [[f32; 3]; N - 2]
    where
        N >= 3,
    {
        silde(3, 1, xs)
    }
}

fn main() {}
