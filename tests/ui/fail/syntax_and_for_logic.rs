use lift::prelude::*;

lift! {
    fn inside<N>(xs: [f32; N]) -> [bool; N] {
        map(|x| x > 0.0 and x < 1.0, xs)
    }
}

fn main() {}
