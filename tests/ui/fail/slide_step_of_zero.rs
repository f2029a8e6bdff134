use lift::prelude::*;

lift! {
    fn windows<N>(xs: [f32; N]) -> [[f32; 3]; N]
    where
        N >= 3,
    {
        slide(3, 0, xs)
    }
}

fn main() {}
