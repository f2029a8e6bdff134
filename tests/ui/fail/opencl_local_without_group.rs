use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        mapLcl(0, |x| x * 2.0, xs)
    }
}

fn main() {}
