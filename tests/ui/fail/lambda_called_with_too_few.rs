use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        let weigh = |x, w| x * w;
        map(|x| weigh(x), xs)
    }
}

fn main() {}
