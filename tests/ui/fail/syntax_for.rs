use lift::prelude::*;

lift! {
    fn sum<N>(xs: [f32; N]) -> f32 {
        for x in xs {
            x
        }
    }
}

fn main() {}
