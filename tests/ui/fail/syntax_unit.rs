use lift::prelude::*;

lift! {
    fn nothing<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| (), xs)
    }
}

fn main() {}
