use lift::prelude::*;

lift! {
    fn ramp<N>(start: [f32; N]) -> [f32; N] {
        generate(N, |i| i * 2)
    }
}

fn main() {}
