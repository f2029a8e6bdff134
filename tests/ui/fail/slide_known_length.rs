use lift::prelude::*;

lift! {
    fn blur(xs: [f32; 4]) -> [[f32; 5]; 0] {
        slide(5, 1, xs)
    }
}

fn main() {}
