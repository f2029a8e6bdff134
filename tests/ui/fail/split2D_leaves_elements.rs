use lift::prelude::*;

lift! {
    fn tiles<W, H>(xss: [[f32; W]; H]) -> [[[[f32; 4]; 2]; W / 4]; H / 2] {
        split2D((2, 4), xss)
    }
}

fn main() {}
