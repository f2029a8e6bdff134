use lift::prelude::*;

lift! {
    fn shape<H, W>(image: [[f32; W]; H]) -> [f32; 2] {
        [H, W]
    }
}

fn main() {}
