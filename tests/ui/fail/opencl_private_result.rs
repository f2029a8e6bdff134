use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        mapGlb(0, |x| toPrivate(x * 2.0), xs)
    }
}

fn main() {}
