// The rank is in the Rust type.
use lift::prelude::*;

lift! {
    fn double<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 2.0, xs)
    }
}

fn main() {
    let _ = double(&Device::cpu(), Array2::<f32>::ones((2, 2)).view());
}
