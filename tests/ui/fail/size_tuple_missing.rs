use lift::prelude::*;

lift! {
    fn windows<W, H>(xss: [[f32; W]; H]) -> [[[[f32; 3]; 3]; W - 2]; H - 2]
    where
        W >= 3,
        H >= 3,
    {
        slide2D(3, 1, xss)
    }
}

fn main() {}
