use lift::prelude::*;

lift! {
    fn lengths<N>(xs: [f32; N]) -> [i32; N] {
        map(|x| if x > 0.0 { N } else { 0 }, xs)
    }
}

fn main() {}
