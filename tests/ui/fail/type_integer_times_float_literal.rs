use lift::prelude::*;

lift! {
    fn double<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
