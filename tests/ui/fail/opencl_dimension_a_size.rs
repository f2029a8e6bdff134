use lift::prelude::*;

lift! {
    pub fn f<N, D>(xs: [f32; N]) -> [f32; N]
    where D <= 2
    {
        mapGlb(D, |x| x * 2.0, xs)
    }
}

fn main() {}
