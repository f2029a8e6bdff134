use lift::prelude::*;

lift! {
    fn both<N, M>(xs: [f32; N], ys: [f32; M]) -> [[f32; N]; 2] {
        [map(|x| x + 1.0, xs), ys]
    }
}

fn main() {}
