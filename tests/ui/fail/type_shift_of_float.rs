use lift::prelude::*;

lift! {
    fn shifted<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x << 1, xs)
    }
}

fn main() {}
