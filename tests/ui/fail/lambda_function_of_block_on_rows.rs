use lift::prelude::*;

lift! {
    fn relu(x: f32) -> f32 {
        max(x, 0.0)
    }

    fn layer<W, H>(xss: [[f32; W]; H]) -> [[f32; W]; H] {
        map(relu, xss)
    }
}

fn main() {}
