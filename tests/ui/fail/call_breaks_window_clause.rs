use lift::prelude::*;

lift! {
    fn blur<N>(xs: [f32; N]) -> [f32; N - 2]
    where
        N >= 3,
    {
        map(|w| reduce(0.0, |acc, x| acc + x, w), slide(3, 1, xs))
    }

    fn twice<N>(xs: [f32; N]) -> [f32; N - 4]
    where
        N >= 4,
    {
        blur(blur(xs))
    }
}

fn main() {}
