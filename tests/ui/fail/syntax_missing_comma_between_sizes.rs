use lift::prelude::*;

lift! {
    fn add<N M>(xs: [[f32; N]; M]) -> [[f32; N]; M] {
        xs
    }
}

fn main() {}
