use lift::prelude::*;

lift! {
    fn product<N, K, L, M>(a: [[f32; K]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(
            |row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)),
            a,
        )
    }
}

fn main() {}
