use lift::prelude::*;

lift! {
    pub fn f<N, tune ROWS: 1..=8, tune COLUMNS: 1..=8, tune T: [3, 5]>(xs: [f32; N]) -> [f32; N]
    where
        N % 2 == 0,
        ROWS * COLUMNS <= 16,
        COLUMNS % 2 == 0,
    {
        join(split(T, xs))
    }
}

fn main() {}
