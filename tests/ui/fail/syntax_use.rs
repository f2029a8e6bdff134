use lift::prelude::*;

lift! {
    use std::f32::consts::PI;

    fn circles<N>(radii: [f32; N]) -> [f32; N] {
        map(|r| r * r * PI, radii)
    }
}

fn main() {}
