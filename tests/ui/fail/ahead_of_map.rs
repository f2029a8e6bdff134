use lift::prelude::*;

lift! {
    pub fn f<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapSeq(|x| x + 1.0, ahead(row)), rows)
    }
}

fn main() {}
