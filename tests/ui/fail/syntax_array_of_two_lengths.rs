use lift::prelude::*;

lift! {
    fn flipped<H, W>(xss: [f32; H, W]) -> [f32; W, H] {
        transpose(xss)
    }
}

fn main() {}
