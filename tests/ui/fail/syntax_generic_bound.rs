use lift::prelude::*;

lift! {
    fn double<T: Copy, N>(xs: [T; N]) -> [T; N] {
        map(|x| x + x, xs)
    }
}

fn main() {}
