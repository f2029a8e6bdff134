use lift::prelude::*;

lift! {
    fn halves<N>(xs: [f32; N]) -> [i32; N] {
        map(|x| x * 0.5, xs)
    }
}

fn main() {}
