use lift::prelude::*;

lift! {
    fn limited<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| clamp(x, 0.0, 6.0), xs)
    }
}

fn main() {}
