//! Normalisation of images, by channels and by groups of them: arrays are `[[[[f32; W]; H]; C]; N]`.
//!
//! That of rows is in [`rows`](crate::rows).

use lift::lift;

lift! {
    /// The mean of a row, and what makes its variance 1.
    fn moments<N>(xs: [f32; N], epsilon: f32) -> (f32, f32) {
        let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f32;
        let variance = reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), xs) / N as f32;
        (mean, 1.0 / sqrt(variance + epsilon))
    }

    /// Each channel of each image with mean 0 and variance 1, where `epsilon` is added to the variance; then scaled and
    /// moved.
    pub fn instance_norm<N, C, H, W>(
        x: [[[[f32; W]; H]; C]; N],
        scales: [f32; C],
        shifts: [f32; C],
        epsilon: f32,
    ) -> [[[[f32; W]; H]; C]; N] {
        let plane = |xs, scale, shift| {
            let (mean, factor) = moments(join(xs), epsilon);
            map2D(|x| (x - mean) * factor * scale + shift, xs)
        };
        map(
            |channels| map(|(xs, scale, shift)| plane(xs, scale, shift), zip(channels, scales, shifts)),
            x,
        )
    }

    /// Each of `G` groups of `M` channels of each image with mean 0 and variance 1, where `epsilon` is added to the
    /// variance; then scaled and moved, channel by channel.
    pub fn group_norm<N, G, M, H, W>(
        x: [[[[f32; W]; H]; G * M]; N],
        scales: [f32; G * M],
        shifts: [f32; G * M],
        epsilon: f32,
    ) -> [[[[f32; W]; H]; G * M]; N] {
        let group = |channels, scales, shifts| {
            let (mean, factor) = moments(join2D(channels), epsilon);
            map(
                |(xs, scale, shift)| map2D(|x| (x - mean) * factor * scale + shift, xs),
                zip(channels, scales, shifts),
            )
        };
        map(
            |channels| join(map(
                |(xs, scales, shifts)| group(xs, scales, shifts),
                zip(split(M, channels), split(M, scales), split(M, shifts)),
            )),
            x,
        )
    }
}
