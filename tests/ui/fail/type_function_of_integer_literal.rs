use lift::prelude::*;

lift! {
    fn root(x: f32) -> f32 {
        x * sqrt(2)
    }
}

fn main() {}
