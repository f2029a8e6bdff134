use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        map(vectorize(4, |x| x * 2.0), xs)
    }
}

fn main() {}
