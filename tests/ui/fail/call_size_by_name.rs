use lift::prelude::*;

lift! {
    fn grid<H, W>(xs: [f32; H * W]) -> [[f32; W]; H] {
        split(W, xs)
    }
    fn columns<H, W>(xs: [f32; H * W]) -> [[f32; H]; W] {
        grid(xs)
    }
}

fn main() {}
