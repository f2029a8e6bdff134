use lift::prelude::*;

lift! {
    fn double(x: f32) -> f32 {
        |y| x + y
    }
}

fn main() {}
