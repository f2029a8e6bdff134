use lift::prelude::*;

lift! {
    fn add<W, G, H>(xss: [[f32; W]; G], yss: [[f32; W]; H]) -> [[f32; W]; G] {
        map2D(|(x, y)| x + y, zip2D(xss, yss))
    }
}

fn main() {}
