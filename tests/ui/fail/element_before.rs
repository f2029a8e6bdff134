use lift::prelude::*;

lift! {
    fn differences<N>(xs: [f32; N]) -> [f32; N] {
        generate(N, |i| if i < 1 { xs[i - 1] } else { xs[i] })
    }
}

fn main() {}
