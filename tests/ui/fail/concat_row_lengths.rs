use lift::prelude::*;

lift! {
    fn stack<W, V, H>(xss: [[f32; W]; H], yss: [[f32; V]; H]) -> [[f32; W]; 2 * H] {
        concat(xss, yss)
    }
}

fn main() {}
