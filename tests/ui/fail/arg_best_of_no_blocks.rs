use lift::prelude::*;

lift! {
    pub fn largest<N, tune B: [2, 4]>(xs: [f32; 3 * N]) -> f32 {
        let rows = take(3 * N / B - 1, slide(B, B, xs));
        let (_, row) = argBest(|best, row| row[0] > best[0], rows);
        row[0]
    }
}

fn main() {}
