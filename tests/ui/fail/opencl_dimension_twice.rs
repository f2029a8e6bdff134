use lift::prelude::*;

lift! {
    pub fn f<N, M>(xss: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapGlb(0, |x| x * 2.0, row), xss)
    }
}

fn main() {}
