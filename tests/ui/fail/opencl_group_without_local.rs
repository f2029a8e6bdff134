use lift::prelude::*;

lift! {
    pub fn f<N, M>(xss: [[f32; M]; N]) -> [[f32; M]; N] {
        mapWrg(0, |row| mapSeq(|x| x * 2.0, row), xss)
    }
}

fn main() {}
