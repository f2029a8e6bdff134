use lift::prelude::*;

lift! {
    fn backwards<N>(xs: [f32; N]) -> [f32; N] {
        rev(xs)
    }
}

fn main() {}
