use lift::prelude::*;

lift! {
    fn roots<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| sqtr(x), xs)
    }
}

fn main() {}
