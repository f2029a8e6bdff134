use lift::prelude::*;

lift! {
    pub fn f<N, M>(xss: [[f32; M]; N]) -> [f32; M] {
        reduceSeq(
            repeat(M, 0.0),
            |acc, row| mapGlb(0, |(a, x)| a + x, zip(acc, row)),
            xss,
        )
    }
}

fn main() {}
