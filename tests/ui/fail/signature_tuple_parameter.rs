use lift::prelude::*;

lift! {
    pub fn products<N>(pairs: [(f32, f32); N]) -> [f32; N] {
        map(|(a, b)| a * b, pairs)
    }
}

fn main() {}
