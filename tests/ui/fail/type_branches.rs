use lift::prelude::*;

lift! {
    fn clip<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| if x > 1.0 { 1 } else { x }, xs)
    }
}

fn main() {}
