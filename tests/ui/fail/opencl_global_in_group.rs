use lift::prelude::*;

lift! {
    pub fn f<N, M, L>(xsss: [[[f32; M]; N]; L]) -> [[[f32; M]; N]; L] {
        mapWrg(0, |xss| mapLcl(0, |row| mapGlb(1, |x| x * 2.0, row), xss), xsss)
    }
}

fn main() {}
