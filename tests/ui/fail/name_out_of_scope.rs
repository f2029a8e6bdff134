use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        let ys = map(|x| { let twice = x + x; twice }, xs);
        map(|y| y + twice, ys)
    }
}

fn main() {}
