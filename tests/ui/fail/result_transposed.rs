use lift::prelude::*;

lift! {
    fn flipped<W, H>(xss: [[f32; W]; H]) -> [[f32; W]; H] {
        transpose(xss)
    }
}

fn main() {}
