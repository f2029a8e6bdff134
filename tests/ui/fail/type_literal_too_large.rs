use lift::prelude::*;

lift! {
    fn brighten<N>(pixels: [u8; N]) -> [u8; N] {
        map(|p| max(p, 300), pixels)
    }
}

fn main() {}
