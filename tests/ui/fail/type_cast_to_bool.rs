use lift::prelude::*;

lift! {
    fn tests<N>(xs: [i32; N]) -> [bool; N] {
        map(|x| x as bool, xs)
    }
}

fn main() {}
