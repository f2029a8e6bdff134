use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        let pair = (|x| x * 2.0, xs);
        xs
    }
}

fn main() {}
