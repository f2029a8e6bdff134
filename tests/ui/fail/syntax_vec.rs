use lift::prelude::*;

lift! {
    fn double(xs: Vec<f32>) -> Vec<f32> {
        map(|x| x * 2.0, xs)
    }
}

fn main() {}
