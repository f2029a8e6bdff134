use lift::prelude::*;

lift! {
    fn ramp<N>(start: [f32; N]) -> [f32; N] {
        map(|(x, y)| x + y, zip(start, generate(N, |i| 0.5 * i)))
    }
}

fn main() {}
