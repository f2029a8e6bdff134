use lift::prelude::*;

lift! {
    fn rows<W, H>(xss: [[f32; W]; H]) -> [[[f32; 3]; W / 3]; H] {
        map(|xs| split(3, xs), xss)
    }
}

fn main() {}
