//! What the networks need beside the operators that are there already.

use lift::lift;

lift! {
    /// What is computed in fixed-point numbers should not become large.
    pub fn relu6(x: f32) -> f32 {
        min(max(x, 0.0), 6.0)
    }

    /// A line.
    pub fn affine(x: f32, scale: f32, shift: f32) -> f32 {
        x * scale + shift
    }

    /// What a batch normalisation multiplies each channel by.
    pub fn scales<C>(gammas: [f32; C], variances: [f32; C]) -> [f32; C] {
        map(|(gamma, variance)| gamma / sqrt(variance + 0.00001), zip(gammas, variances))
    }

    /// What it adds then.
    pub fn shifts<C>(betas: [f32; C], means: [f32; C], scales: [f32; C]) -> [f32; C] {
        map(|(beta, mean, scale)| beta - mean * scale, zip(betas, means, scales))
    }
}
