use lift::prelude::*;

lift! {
    fn add<W, V, H>(xss: [[f32; W]; H], yss: [[f32; V]; H]) -> [[f32; W]; H] {
        map2D(|(x, y)| x + y, zip2D(xss, yss))
    }
}

fn main() {}
