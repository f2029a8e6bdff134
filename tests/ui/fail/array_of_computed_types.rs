use lift::prelude::*;

lift! {
    fn both(x: f32, n: i32) -> [f32; 2] {
        [x * 2.0, n + 1]
    }
}

fn main() {}
