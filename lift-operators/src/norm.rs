//! Normalisation of images, by channels and by groups of them: arrays are `[[[[f32; W]; H]; C]; N]`.
//!
//! That of rows is in [`rows`](crate::rows).

use lift::lift;

lift! {
    /// Mean 0 and variance 1, where `epsilon` is added to the variance.
    fn normalized<N>(xs: [f32; N], epsilon: f32) -> [f32; N] {
        let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f32;
        let variance = reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), xs) / N as f32;
        let factor = 1.0 / sqrt(variance + epsilon);
        map(|x| (x - mean) * factor, xs)
    }

    /// Each channel of each image with mean 0 and variance 1, then scaled and moved.
    pub fn instance_norm<N, C, H, W>(
        x: [[[[f32; W]; H]; C]; N],
        scales: [f32; C],
        shifts: [f32; C],
        epsilon: f32,
    ) -> [[[[f32; W]; H]; C]; N] {
        let plane = |plane, scale, shift| map2D(
            |x| x * scale + shift,
            split(W, normalized(join(plane), epsilon)),
        );
        map(
            |channels| map(|(xs, scale, shift)| plane(xs, scale, shift), zip(channels, scales, shifts)),
            x,
        )
    }

    /// Each of `G` groups of channels of each image with mean 0 and variance 1, then scaled and moved, channel by
    /// channel.
    pub fn group_norm<N, G, M, H, W>(
        x: [[[[f32; W]; H]; G * M]; N],
        scales: [f32; G * M],
        shifts: [f32; G * M],
        epsilon: f32,
    ) -> [[[[f32; W]; H]; G * M]; N] {
        let group = |channels| split(H, split(W, normalized(join2D(channels), epsilon)));
        map(
            |channels| map(
                |(plane, scale, shift)| map2D(|x| x * scale + shift, plane),
                zip(join(map(group, split(M, channels))), scales, shifts),
            ),
            x,
        )
    }
}
