use lift::prelude::*;

lift! {
    fn first<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| if let 0.0 = x { 1.0 } else { x }, xs)
    }
}

fn main() {}
