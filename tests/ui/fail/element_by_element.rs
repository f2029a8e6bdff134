use lift::prelude::*;

lift! {
    fn looked_up<N>(table: [f32; N], keys: [i32; N]) -> [f32; N] {
        generate(N, |i| table[keys[i]])
    }
}

fn main() {}
