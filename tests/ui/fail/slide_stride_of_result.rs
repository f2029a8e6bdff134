use lift::prelude::*;

lift! {
    fn pooled<N>(xs: [f32; N]) -> [f32; N / 2]
    where
        N >= 3,
    {
        map(|w| reduce(0.0, |m, x| max(m, x), w), slide(3, 2, xs))
    }
}

fn main() {}
