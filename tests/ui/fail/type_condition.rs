use lift::prelude::*;

lift! {
    fn clip<N>(xs: [i32; N]) -> [i32; N] {
        map(|x| if x { 1 } else { 0 }, xs)
    }
}

fn main() {}
