use lift::prelude::*;

lift! {
    fn relu<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| if x > 0 { x } else { 0 }, xs)
    }
}

fn main() {}
