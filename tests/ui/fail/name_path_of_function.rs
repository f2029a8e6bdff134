use lift::prelude::*;

lift! {
    fn roots<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| f32::sqrt(x), xs)
    }
}

fn main() {}
