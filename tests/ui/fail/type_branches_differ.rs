use lift::prelude::*;

lift! {
    fn signs<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| if x > 0.0 { x } else { false }, xs)
    }
}

fn main() {}
