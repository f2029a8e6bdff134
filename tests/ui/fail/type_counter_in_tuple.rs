use lift::prelude::*;

lift! {
    fn mean<N>(xs: [f32; N]) -> f32 {
        let (sum, count) = reduce((0.0, 0), |(s, n), x| (s + x, n + 1.0), xs);
        sum / count
    }
}

fn main() {}
