use lift::prelude::*;

lift! {
    fn halve<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| x * 0.5, xs)
    }
}

fn main() {}
