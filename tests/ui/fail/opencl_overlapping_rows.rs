use lift::prelude::*;

lift! {
    pub fn squares<N, M>(xs: [f32; N]) -> [f32; N] where M <= N {
        joinOverlap(N, mapGlb(0, |row| mapSeq(|x| x * x, row), splitOverlap(M, xs)))
    }

    // The rows may be turned before: the map inside goes over them.
    pub fn turned<N, M>(xs: [f32; N]) -> [f32; N] where M <= N {
        joinOverlap(N, transpose(mapSeq(|column| mapGlb(0, |x| x * x, column), transpose(splitOverlap(M, xs)))))
    }
}

fn main() {}
