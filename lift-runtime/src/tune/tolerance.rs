//! How far a right result may be off: by a multiple of how far the program's plain form is off in its own floats.
//!
//! Every form rounds in its own way: sums in another order, a multiplication and an addition in one, other
//! functions. How much that shows depends on the program, and is measured: the plain form is computed in the
//! program's own floats too, and its difference from the reference is the effect of rounding. A single element
//! may be right by chance, so the differences of elements of about the same size count as well, but for a few
//! outliers. A number no larger than such a difference has no size of its own: where all terms cancel, only
//! rounding is left, and it may be large in one element and nothing in another.

use lift_core::types::Scalar;

/// A function of OpenCL may be off by 16 units in the last place (`pow`), where that of a C library is off by a half.
const FUNCTIONS: f64 = 32.0;

/// A large difference comes from many roundings, or from large numbers that cancel: other forms are off by as
/// much, not by the factor of a single function.
const ROUNDINGS: f64 = 4.0;

/// From this share of a number on, a difference is large.
const MUCH: f64 = 1.0 / 64.0;

/// The error that any element is allowed, in units of the last place of its type.
const UNITS: f64 = 16.0;

/// A difference this many times the median says nothing of other elements.
const STANDS_OUT: f64 = 64.0;

/// Elements that are enough to know the differences.
const ENOUGH: usize = 1 << 14;
/// Elements that are too few to be judged by themselves.
const FEW: usize = 64;

/// The errors that elements of one result are allowed, by their size.
pub struct Tolerance {
    scalar: Scalar,
    /// The root of the mean square.
    scale: f64,
    /// Sizes in ascending order, each with the difference that elements up to it have.
    levels: Vec<(f64, f64)>,
    /// The difference of elements that consist of rounding alone.
    noise: f64,
}

impl Tolerance {
    /// From the wanted values of some elements, and how far the program's own floats are off there.
    pub fn new(scalar: Scalar, wanted: &[f64], apart: &[f64]) -> Tolerance {
        let finite = || wanted.iter().zip(apart).filter(|(w, a)| w.is_finite() && a.is_finite());
        let count = finite().count().max(1);
        let scale = (finite().map(|(w, _)| w * w).sum::<f64>() / count as f64).sqrt();
        let mut some: Vec<(f64, f64)> =
            finite().step_by(count.div_ceil(ENOUGH)).map(|(w, a)| (w.abs(), *a)).collect();
        some.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut levels, mut most, mut at): (Vec<(f64, f64)>, f64, usize) = (vec![], 0.0, 0);
        while at < some.len() {
            let size = some[at].0;
            // Up to twice this size, since what cancels is off by as much at any size; and of about this size, since most
            // are the less off the smaller they are. Never too few.
            let up_to = some.partition_point(|(w, _)| *w <= 2.0 * size);
            let end = up_to.max(some.len() / 16).max(FEW).min(some.len());
            let from = some.partition_point(|(w, _)| *w < size / 2.0).min(end.saturating_sub(FEW));
            most = most.max(level(&some[..end])).max(level(&some[from..end]));
            levels.push((2.0 * size, most));
            at = up_to.max(at + 1);
        }
        let rounding: Vec<(f64, f64)> =
            finite().map(|(w, a)| (w.abs(), *a)).filter(|(w, a)| a >= w).collect();
        Tolerance { scalar, scale, levels, noise: level(&rounding) }
    }

    /// The error that an element is allowed whose value should be `wanted`, and which the
    /// program's own floats miss by `apart`.
    pub fn allows(&self, wanted: f64, apart: f64) -> f64 {
        let at = self.levels.partition_point(|(size, _)| *size < wanted.abs());
        let level = self.levels.get(at).or(self.levels.last()).map_or(0.0, |(_, level)| *level);
        let noise = if wanted.abs() <= self.noise { self.noise } else { 0.0 };
        let apart = apart.max(level).max(noise);
        let large = wanted.abs().max(self.scale) * MUCH;
        let (unit, least) = smallest(self.scalar);
        UNITS * unit * wanted.abs() + least + (FUNCTIONS * apart).min(ROUNDINGS * apart + large)
    }
}

/// The greatest of these differences that does not stand out. Differences of 0 are left out: such
/// elements were moved, or are exact.
fn level(some: &[(f64, f64)]) -> f64 {
    let mut apart: Vec<f64> = some.iter().map(|(_, a)| *a).filter(|a| *a > 0.0).collect();
    if apart.is_empty() {
        return 0.0;
    }
    let middle = apart.len() / 2;
    let median = *apart.select_nth_unstable_by(middle, f64::total_cmp).1;
    apart.into_iter().filter(|a| *a <= STANDS_OUT * median).fold(0.0, f64::max)
}

/// The distance from 1 to the next number, and the smallest number that all devices have, since some flush
/// smaller ones to 0. Integers are exact.
fn smallest(scalar: Scalar) -> (f64, f64) {
    match scalar {
        Scalar::F16 => (2f64.powi(-10), 2f64.powi(-14)),
        Scalar::F32 => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
        Scalar::F64 => (f64::EPSILON, f64::MIN_POSITIVE),
        Scalar::Bool
        | Scalar::I8
        | Scalar::U8
        | Scalar::I16
        | Scalar::U16
        | Scalar::I32
        | Scalar::U32
        | Scalar::I64
        | Scalar::U64 => (0.0, 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::Tolerance;
    use lift_core::types::Scalar;

    /// An element that came out right by chance may be off as far as others are.
    #[test]
    fn an_element_by_itself_says_little() {
        let wanted: Vec<f64> = (0..1000).map(|i| 1.0 + f64::from(i) / 1000.0).collect();
        let apart: Vec<f64> = (0..1000).map(|i| f64::from(i % 10) * 1e-6).collect();
        let tolerance = Tolerance::new(Scalar::F32, &wanted, &apart);
        let allowed = tolerance.allows(1.5, 0.0);
        assert!((2e-4..4e-4).contains(&allowed), "{allowed}");
        // One that is far off, decided otherwise, is allowed that; the others are not.
        let apart: Vec<f64> =
            apart.iter().enumerate().map(|(i, a)| if i == 500 { 1.0 } else { *a }).collect();
        let tolerance = Tolerance::new(Scalar::F32, &wanted, &apart);
        assert!(tolerance.allows(1.5, 1.0) >= 1.0);
        let allowed = tolerance.allows(1.5, 0.0);
        assert!((2e-4..4e-4).contains(&allowed), "{allowed}");
    }

    /// Where everything cancels, an element that is 0 by chance is known no better than the rest.
    #[test]
    fn what_cancels_is_of_no_size() {
        let wanted: Vec<f64> = (0..1000).map(|i| f64::from(i % 10) * 1e-15).collect();
        let apart: Vec<f64> = (0..1000).map(|i| f64::from(i % 10) * 1e-6).collect();
        let tolerance = Tolerance::new(Scalar::F32, &wanted, &apart);
        let allowed = tolerance.allows(0.0, 0.0);
        assert!((9e-6..1e-4).contains(&allowed), "{allowed}");
    }

    /// Elements that are only moved are exact, and garbage is not as good as 0.
    #[test]
    fn what_is_off_by_nothing_or_by_much() {
        let exact = Tolerance::new(Scalar::F32, &[1.0, 2.0, 3.0], &[0.0; 3]);
        assert!(exact.allows(2.0, 0.0) < 1e-5);
        let wanted = [1.0; 100];
        let much = Tolerance::new(Scalar::F16, &wanted, &[0.2; 100]);
        assert!(much.allows(1.0, 0.2) < 1.0);
        assert_eq!(Tolerance::new(Scalar::I32, &[3.0], &[3.0]).allows(0.0, 0.0).min(0.0), 0.0);
    }
}
