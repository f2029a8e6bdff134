use lift::prelude::*;

lift! {
    fn letters<N>(xs: [u8; N]) -> [bool; N] {
        map(|x| x == 'a', xs)
    }
}

fn main() {}
