use lift::prelude::*;

lift! {
    fn add<W, H>(xss: [[f32; W]; H], ys: [f32; W]) -> [[f32; W]; H] {
        map2D(|(x, y)| x + y, zip2D(xss, ys))
    }
}

fn main() {}
