use lift::prelude::*;

lift! {
    fn ramp<N>(xs: [f32; N]) -> [f32; N] {
        generate(N, 1.0)
    }
}

fn main() {}
