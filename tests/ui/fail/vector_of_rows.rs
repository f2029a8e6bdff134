use lift::prelude::*;

lift! {
    pub fn f<N, M>(xss: [[f32; M]; 4 * N]) -> [f32; M] {
        let vectors = asVector(4, xss);
        join(transpose(xss))
    }
}

fn main() {}
