use lift::prelude::*;

lift! {
    fn quadruple<N>(xs: [f32; N]) -> [f32; N] {
        fn double(x: f32) -> f32 {
            x + x
        }
        map(|x| double(double(x)), xs)
    }
}

fn main() {}
