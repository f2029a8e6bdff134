use lift::prelude::*;

lift! {
    fn conv<K, N>(kernel: [f32; K], xs: [f32; N]) -> [f32; N - K + 1] {
        map(|w| reduce(0.0, |acc, (x, k)| acc + x * k, zip(w, kernel)), slide(K, 1, xs))
    }
}

fn main() {}
