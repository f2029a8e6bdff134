//! Programs of numbers that only models in ONNX's format need.

use lift::lift;

lift! {
    /// Normalised by a mean and a variance that are known, then scaled and moved.
    pub fn batch_norm(x: f32, scale: f32, shift: f32, mean: f32, variance: f32, epsilon: f32) -> f32 {
        (x - mean) * (scale / sqrt(variance + epsilon)) + shift
    }

    /// What elements of this variance are multiplied by to make it 1.
    pub fn inverse_root(variance: f32, epsilon: f32) -> f32 {
        1.0 / sqrt(variance + epsilon)
    }

    /// `x` times a sigmoid of `alpha * x`.
    pub fn swish(x: f32, alpha: f32) -> f32 {
        x / (1.0 + exp(-(alpha * x)))
    }

    /// The logarithm of `exp(x) + 1`, also where the exponential is too large for a float.
    pub fn softplus(x: f32) -> f32 {
        max(x, 0.0) + ln(1.0 + exp(-abs(x)))
    }
}
