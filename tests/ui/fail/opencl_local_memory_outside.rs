use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        mapGlb(0, |x| x * 2.0, toLocal(xs))
    }
}

fn main() {}
