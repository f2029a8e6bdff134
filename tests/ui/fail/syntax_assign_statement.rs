use lift::prelude::*;

lift! {
    fn total<N>(xs: [f32; N]) -> f32 {
        let sum = 0.0;
        sum += reduce(0.0, |acc, x| acc + x, xs);
        sum
    }
}

fn main() {}
