use lift::prelude::*;

lift! {
    fn total<W, H>(xss: [[f32; W]; H]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xss)
    }
}

fn main() {}
