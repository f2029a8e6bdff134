use lift::prelude::*;

lift! {
    pub fn f<N>(xs: [bool; N], ys: [bool; N]) -> bool {
        dot(xs, ys)
    }
}

fn main() {}
