use lift::prelude::*;

lift! {
    fn sign<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| match x { 0 => 0, _ => 1 }, xs)
    }
}

fn main() {}
