use lift::prelude::*;

lift! {
    fn lower<N>(xs: [u8; N]) -> [u8; N] {
        map(|x| max(x, -1), xs)
    }
}

fn main() {}
