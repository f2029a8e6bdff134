use lift::prelude::*;

lift! {
    fn many(x: f32) -> [f32; 99999999999999999999] {
        repeat(99999999999999999999, x)
    }
}

fn main() {}
