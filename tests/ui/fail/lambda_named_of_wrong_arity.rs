use lift::prelude::*;

lift! {
    fn weighted<N>(xs: [f32; N], ws: [f32; N]) -> [f32; N] {
        let weigh = |x, w| x * w;
        map(weigh, zip(xs, ws))
    }
}

fn main() {}
