use lift::prelude::*;

lift! {
    fn differences<N>(xs: [f32; N]) -> [f32; N] {
        generate(N, |i| xs[i + 1] - xs[i])
    }
}

fn main() {}
