use lift::prelude::*;

lift! {
    fn rows<N, M>(xs: [f32; N]) -> [[f32; M]; N / M] {
        split(M, xs)
    }
}

fn main() {}
