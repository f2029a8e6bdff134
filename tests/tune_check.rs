//! What tuning relies on: the reference in wider floats, and the model that orders candidates.

use lift::prelude::*;
use lift::tune::{Choice, Tuning};
use lift_core::cost::{self, Machine};

lift! {
    pub fn product<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), xs)
    }

    /// Floats of every width, written in every way.
    pub fn mixed<N>(xs: [f16; N], scale: f32) -> ([f32; N], [i32; N]) {
        let third: f32 = 1.0f32 / 3.0;
        let ys = map(|x: f16| (x as f32) * scale + third, xs);
        (ys, generate(N, |i| (i as f32 * 2.5f32) as i32))
    }
}

#[test]
fn wider_floats_mean_the_same() -> Result<(), lift::Error> {
    let widened = mixed::program().widened();
    let ty = |program: &lift::Program| {
        let params: Vec<String> = program.params().iter().map(|p| p.ty.to_string()).collect();
        format!("{} -> {}", params.join(", "), program.result())
    };
    assert_eq!(ty(&widened), "[f64; N], f64 -> ([f64; N], [i32; N])");
    let xs: Array1<f64> = (0..9).map(|i| i as f64 / 4.0 - 1.0).collect();
    let narrow: Array1<f16> = xs.mapv(f16::from_f64);
    // Not every driver has 16-bit floats.
    let device = &Device::cpu();
    let (expected, counts) = mixed(device, narrow.view(), 1.5)?;
    let mut outputs = lift::run(&widened, device, &[], &[(&xs).into(), 1.5f64.into()])?.into_iter();
    let got = outputs.next().expect("two results").into_array::<f64>()?;
    assert!(got.iter().zip(&expected).all(|(g, e)| (g - f64::from(*e)).abs() < 1e-6), "{got} {expected}");
    // What a narrow float can't hold is there.
    assert!((got[[4]] - 1.0 / 3.0).abs() < 1e-15);
    let whole = outputs.next().expect("two results").into_array::<i32>()?;
    assert_eq!(whole, counts.into_dyn());
    Ok(())
}

fn tuning(n: usize) -> Tuning {
    let sizes = product::Sizes { N: n, M: n, L: n };
    product::tuning(&Device::cpu(), sizes).expect("it fits").stored(None)
}

/// Seconds by the model on a processor and on a GPU.
fn seconds(n: usize, choice: &str) -> Result<[f64; 2], lift::Error> {
    let choice: Choice = choice.parse().expect("a choice");
    let compiled = tuning(n).build(&choice)?;
    Ok([Machine::processor(4, 32), Machine::graphics(64)].map(|m| cost::seconds(compiled.plan(), &m)))
}

#[test]
fn the_model_knows_what_is_much_better() -> Result<(), lift::Error> {
    let [plain, scalar, vectors, spilled] = [
        seconds(64, "-")?,
        seconds(64, "combined D=16 V=1 R=1 Q=4")?,
        seconds(64, "combined D=16 V=8 R=1 Q=4")?,
        seconds(64, "combined D=64 V=1 R=1 Q=8")?,
    ];
    assert!(vectors[0] < scalar[0] && scalar[0] < plain[0], "a processor: {vectors:?} {scalar:?} {plain:?}");
    assert!(scalar[0] < spilled[0], "registers: {scalar:?} {spilled:?}");
    // Few work-items leave a GPU idle.
    assert!(spilled[1] > plain[1], "a GPU: {spilled:?} {plain:?}");
    let larger = seconds(256, "-")?;
    assert!(larger.iter().zip(plain).all(|(large, small)| *large > 8.0 * small), "{larger:?} {plain:?}");
    Ok(())
}
