use lift::prelude::*;

lift! {
    fn looked_up<N, M>(table: [f32; N], keys: [i32; M]) -> [f32; M] {
        map(|key| table[key], keys)
    }
}

fn main() {}
