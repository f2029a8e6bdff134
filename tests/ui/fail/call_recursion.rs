use lift::prelude::*;

lift! {
    fn again<N>(xs: [f32; N]) -> [f32; N] {
        again(map(|x| x * 0.5, xs))
    }
}

fn main() {}
