use lift::prelude::*;

lift! {
    fn roots<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| sqrt::<f32>(x), xs)
    }
}

fn main() {}
