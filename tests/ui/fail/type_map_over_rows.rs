use lift::prelude::*;

lift! {
    fn double<N, M>(xss: [[f32; N]; M]) -> [[f32; N]; M] {
        map(|x| x * 2.0, xss)
    }
}

fn main() {}
