use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }

    fn double2<W, H>(xss: [[f32; W]; H]) -> [[f32; W]; H] {
        double(xss)
    }
}

fn main() {}
