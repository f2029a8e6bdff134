//! How far results may be apart.

use super::values::Values;
use lift_core::types::Scalar;
use ndarray::ArrayD;

/// `‖got − expected‖ / ‖expected‖` over all results together; integers must be equal.
pub fn check(got: &[Values], expected: &[ArrayD<f64>]) -> Result<(), String> {
    within(got, expected, 0.0)
}

/// The same where floats may be off by so much more than usual.
pub fn within(got: &[Values], expected: &[ArrayD<f64>], more: f64) -> Result<(), String> {
    let relative = apart(got, expected)?;
    let floats = got.iter().flatten().map(|g| tolerance(g.scalar()));
    let allowed = floats.fold(0.0, f64::max).max(more);
    if relative > allowed {
        return Err(format!("relative error {relative:.1e}, at most {allowed:.0e} is allowed"));
    }
    Ok(())
}

/// How far floats are off; an error where integers differ, infinities and NaNs.
pub fn apart(got: &[Values], expected: &[ArrayD<f64>]) -> Result<f64, String> {
    let shapes = |arrays: &mut dyn Iterator<Item = &[usize]>| format!("{:?}", arrays.collect::<Vec<_>>());
    let (found, wanted) =
        (shapes(&mut got.iter().map(|a| a.shape())), shapes(&mut expected.iter().map(|a| a.shape())));
    if found != wanted {
        return Err(format!("shapes {found} instead of {wanted}"));
    }
    let finite = expected.iter().flatten().map(|e| e.abs()).filter(|e| e.is_finite());
    // The square of a large number may be infinite.
    let scale = finite.fold(1.0, f64::max);
    let (mut apart, mut norm) = (0.0f64, 0.0f64);
    for (got, expected) in got.iter().zip(expected) {
        for ((at, g), e) in got.indexed_iter().zip(expected) {
            let (g, tolerance) = (g.to_f64(), tolerance(g.scalar()));
            if tolerance == 0.0 && g != *e {
                return Err(format!("{g} instead of {e} at {at:?}"));
            }
            // Infinities and NaNs have no distance: they must be where they are expected.
            if same_special(g, *e) {
                continue;
            }
            if !g.is_finite() || !e.is_finite() {
                return Err(format!("{g} instead of {e} at {at:?}"));
            }
            apart += ((g - e) / scale).powi(2);
            norm += (e / scale).powi(2);
        }
    }
    // Of what is nothing but zeros any part is infinite.
    Ok(if apart == 0.0 { 0.0 } else { (apart / norm).sqrt() })
}

fn same_special(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || (a.is_infinite() && a == b)
}

fn tolerance(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F16 => 1e-2,
        Scalar::F32 => 1e-5,
        Scalar::F64 => 1e-12,
        _ => 0.0,
    }
}
