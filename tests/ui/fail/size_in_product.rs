use lift::prelude::*;

lift! {
    fn scaled<N>(xs: [f64; N]) -> [f64; N] {
        map(|x| x * (N + 1), xs)
    }
}

fn main() {}
