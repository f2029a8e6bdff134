use lift::prelude::*;

lift! {
    fn total<N>(xs: [f32; N]) -> f32 {
        xs.fold(0.0, |acc, x| acc + x)
    }
}

fn main() {}
