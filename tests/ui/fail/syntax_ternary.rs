use lift::prelude::*;

lift! {
    fn clip<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x > 1.0 ? 1.0 : x, xs)
    }
}

fn main() {}
