use lift::prelude::*;

lift! {
    fn add<N>(xs: [f32; N], ys: [f32; N], zs: [f32; N + 1]) -> [f32; N] {
        map(|(x, y, z)| x + y + z, zip(xs, ys, zs))
    }
}

fn main() {}
