use lift::prelude::*;

lift! {
    fn smooth<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 0.5, xs)
    }

    fn twice<N>(xs: [f32; N]) -> [f32; N] {
        smoth(smooth(xs))
    }
}

fn main() {}
