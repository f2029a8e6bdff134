use lift::prelude::*;

lift! {
    fn signs<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x.signum(), xs)
    }
}

fn main() {}
