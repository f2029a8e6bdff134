use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| dot(x, x), xs)
    }
}

fn main() {}
