use lift::prelude::*;

lift! {
    fn bright<N>(xs: [u8; N]) -> [u8; N] {
        map(|x| min(x, 256u8), xs)
    }
}

fn main() {}
