use lift::prelude::*;

lift! {
    fn sums<W, H>(xss: [[f32; W]; H]) -> [[f32; W]; H] {
        map(|xs| reduce(0.0, |acc, x| acc + x, xs), xss)
    }
}

fn main() {}
