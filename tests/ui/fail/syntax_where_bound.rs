use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N]
    where
        N: Even,
    {
        map(|x| x + x, xs)
    }
}

fn main() {}
