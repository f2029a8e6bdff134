use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        mapGlb(3, |x| x * 2.0, xs)
    }
}

fn main() {}
