use lift::prelude::*;

lift! {
    fn both<N>(xs: [i32; N]) -> [bool; N] {
        map(|x| x && true, xs)
    }
}

fn main() {}
