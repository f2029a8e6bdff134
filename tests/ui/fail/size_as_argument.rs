use lift::prelude::*;

lift! {
    fn power(x: f32, exponent: f32) -> f32 {
        pow(x, exponent)
    }

    fn powers<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| power(x, N), xs)
    }
}

fn main() {}
