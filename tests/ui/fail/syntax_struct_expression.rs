use lift::prelude::*;

lift! {
    fn pairs<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| Pixel { red: x }, xs)
    }
}

fn main() {}
