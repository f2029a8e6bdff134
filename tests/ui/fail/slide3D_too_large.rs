use lift::prelude::*;

lift! {
    fn windows<W, H, D>(volume: [[[f32; W]; H]; D]) -> [[[[[[f32; 2]; 2]; 2]; W - 1]; H - 1]; D - 1]
    where
        W >= 2,
        D >= 2,
    {
        slide3D((2, 2, 2), (1, 1, 1), volume)
    }
}

fn main() {}
