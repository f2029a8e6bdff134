use lift::prelude::*;

lift! {
    fn double(n: usize, xs: [f32; n]) -> [f32; n] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
