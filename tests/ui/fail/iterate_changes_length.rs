use lift::prelude::*;

lift! {
    fn shrink<N>(xs: [f32; N]) -> [f32; N]
    where
        N >= 2,
    {
        iterate(3, |ys| drop(1, ys), xs)
    }
}

fn main() {}
