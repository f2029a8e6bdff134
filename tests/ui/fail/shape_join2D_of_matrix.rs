use lift::prelude::*;

lift! {
    fn flat<W, H>(xss: [[f32; W]; H]) -> [f32; W * H] {
        join2D(xss)
    }
}

fn main() {}
