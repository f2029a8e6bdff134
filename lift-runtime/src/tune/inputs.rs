//! Arguments that reveal mistakes.
//!
//! Floats are small whole numbers, none of them 0: sums of products of such numbers come out exact
//! in whatever order they are taken, as long as the type can hold them, and a term that is left out or
//! taken twice changes them by at least 1, more than the tolerance. An `f16` holds whole numbers up to
//! 2048: where there is one, they are smaller. What has no value there (a square root, a logarithm) is given positive
//! numbers, or fractions.

use crate::{Argument, Signature, threads, with_scalars};
use fastrand::Rng;
use half::f16;
use lift_core::scalar::Value;
use lift_core::types::Scalar;
use ndarray::ArrayD;
use serde::{Deserialize, Serialize};

/// The range that floats are drawn from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Inputs {
    /// -2 to 2 without 0.
    Small,
    /// -8 to 8 without 0.
    Signed,
    /// 1 to 8.
    Positive,
    /// Between 0 and 1.
    Fractions,
    /// Between -1 and 1: even long sums of these are small.
    SignedFractions,
}

impl Inputs {
    /// In the order in which they are tried: the first with finite results is taken.
    pub fn of(signature: &Signature) -> impl Iterator<Item = Inputs> {
        let parameters = signature.parameters.iter().map(|p| p.scalar);
        let mut scalars = parameters.chain(signature.results.iter().map(|(scalar, _)| *scalar));
        let small = scalars.any(|scalar| scalar == Scalar::F16).then_some(Inputs::Small);
        let all = [Inputs::Signed, Inputs::Positive, Inputs::Fractions, Inputs::SignedFractions];
        small.into_iter().chain(all)
    }

    /// The same for the same seed, whatever floats the signature holds.
    pub fn arguments(self, signature: &Signature, seed: u64) -> Vec<Argument<'static>> {
        let random = &mut Rng::with_seed(seed);
        let parameters = signature.parameters.iter();
        parameters.map(|p| argument(p.scalar, &p.shape, random.u64(..), self)).collect()
    }

    fn number(self, scalar: Scalar, random: &mut Rng) -> f64 {
        if scalar == Scalar::Bool {
            return random.usize(..2) as f64;
        }
        let fraction = matches!(self, Inputs::Fractions | Inputs::SignedFractions) && scalar.is_float();
        let signed = !matches!(self, Inputs::Positive | Inputs::Fractions) && scalar.is_signed();
        let magnitude = match fraction {
            true => random.usize(1..1024) as f64 / 1024.0,
            false => 1.0 + random.usize(..if self == Inputs::Small { 2 } else { 8 }) as f64,
        };
        if signed && random.bool() { -magnitude } else { magnitude }
    }
}

/// Elements that one thread draws at a time.
const CHUNK: usize = 1 << 16;

macro_rules! arguments {
    ($($variant:ident $ty:ident $stored:ident $convert:tt,)*) => {
        fn argument(scalar: Scalar, shape: &[usize], seed: u64, inputs: Inputs) -> Argument<'static> {
            match scalar {
                $(Scalar::$variant => {
                    let mut array = ArrayD::<$ty>::default(shape);
                    let chunks = array.as_slice_mut().unwrap_or_default().chunks_mut(CHUNK);
                    threads::map(chunks.enumerate().collect(), |(n, chunk)| {
                        let random = &mut Rng::with_seed(seed.wrapping_add(n as u64));
                        chunk.fill_with(|| match Value::from_f64(inputs.number(scalar, random), scalar) {
                            Value::$variant(x) => x,
                            _ => <$ty>::default(),
                        });
                    });
                    Argument::$variant(array.into())
                })*
            }
        }
    };
}

with_scalars!(arguments);
