use lift::prelude::*;

lift! {
    pub fn f<N, M>(xss: [[f32; M]; N]) -> ([[f32; M]; N], [f32; N]) {
        unzip(mapWrg(0, |row| (mapLcl(0, |x| x * 2.0, row), reduceSeq(0.0, |a, x| a + x, row)), xss))
    }
}

fn main() {}
