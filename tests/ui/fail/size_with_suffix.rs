use lift::prelude::*;

lift! {
    fn halves<N>(xs: [f32; N]) -> [[f32; 2]; N / 2]
    where
        N % 2 == 0,
    {
        split(2usize, xs)
    }
}

fn main() {}
