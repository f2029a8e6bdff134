use lift::prelude::*;

lift! {
    pub fn f<N, M>(rows: [[f32; 4 * M]; N]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapSeq(|w| reduceSeq(0.0, |acc, x| acc + x, w), rotated(slide(4, 4, row))), rows)
    }
}

fn main() {}
