// The mistake is reported once; calls of the function are right.
use lift::prelude::*;

lift! {
    fn stretch<N, FACTOR>(alpha: f32, xs: [f32; N]) -> [f32; N * FACTOR] {
        join(map(|x| repeat(FACTOR, x * beta), xs))
    }
}

fn main() -> Result<(), lift::Error> {
    let xs = Array1::<f32>::ones(8);
    let stretched: Array1<f32> = stretch(&Device::cpu(), 3, 2.0, xs.view())?;
    let compiled = stretch::compile(&Device::cpu(), stretch::Sizes { N: 8, FACTOR: 3 })?;
    assert_eq!(compiled.run(2.0, xs.view())?, stretched);
    Ok(())
}
