use lift::prelude::*;

lift! {
    fn head<N, M>(xs: [f32; N]) -> [f32; M]
    where
        M <= N,
    {
        take(M, xs)
    }
    fn first<N>(xs: [f32; N]) -> [f32; 1] {
        head::<1>(xs)
    }
}

fn main() {}
