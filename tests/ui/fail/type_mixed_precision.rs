use lift::prelude::*;

lift! {
    fn axpy<N>(a: f64, xs: [f32; N]) -> [f32; N] {
        map(|x| a * x, xs)
    }
}

fn main() {}
