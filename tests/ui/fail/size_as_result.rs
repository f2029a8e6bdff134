use lift::prelude::*;

lift! {
    fn length<N>(xs: [f32; N]) -> i32 {
        N
    }
}

fn main() {}
