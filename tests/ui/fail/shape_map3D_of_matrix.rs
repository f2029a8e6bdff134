use lift::prelude::*;

lift! {
    fn double<W, H>(xss: [[f32; W]; H]) -> [[f32; W]; H] {
        map3D(|x| x + x, xss)
    }
}

fn main() {}
