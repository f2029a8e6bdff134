use lift::prelude::*;

lift! {
    pub fn f<N, M>(rows: [[f32; M]; N]) -> [f32; N] {
        mapGlb(0, |row| {
            let squares = ahead(map(|x| toPrivate(x * x), row));
            reduceSeq(0.0, |acc, x| acc + x, squares)
        }, rows)
    }
}

fn main() {}
