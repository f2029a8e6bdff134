use lift::prelude::*;

lift! {
    pub fn f<N, tune ROWS: 5..=8, tune COLUMNS: 5..=8, tune T: [1, 2]>(xs: [f32; N]) -> [f32; N]
    where
        T <= ROWS,
        ROWS * COLUMNS <= 16,
    {
        map(|x| x + (T * ROWS * COLUMNS) as f32, xs)
    }
}

fn main() {}
