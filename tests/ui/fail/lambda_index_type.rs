use lift::prelude::*;

lift! {
    fn ramp<N>(slope: f32) -> [f32; N] {
        generate(N, |i: f32| slope * i)
    }
}

fn main() {}
