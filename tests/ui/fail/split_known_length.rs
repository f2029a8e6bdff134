use lift::prelude::*;

lift! {
    fn rows(xs: [f32; 10]) -> [[f32; 4]; 2] {
        split(4, xs)
    }
}

fn main() {}
