use lift::prelude::*;

lift! {
    fn double(x: f32) -> f32 {
        map(|y| y * 2.0, x)
    }
}

fn main() {}
