//! Passes over data: element by element, transposed, pooled, row by row.

use lift::prelude::*;

lift! {
    pub fn transposition<H, W>(xs: [[f32; W]; H]) -> [[f32; H]; W] {
        transpose(xs)
    }

    /// Channels first made channels last.
    pub fn channels_last<C, H, W>(xs: [[[f32; W]; H]; C]) -> [[[f32; C]; W]; H] {
        map(transpose, transpose(xs))
    }

    pub fn scale_add<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| 2.5 * x + y, zip(xs, ys))
    }

    /// By the hyperbolic tangent, as usual.
    pub fn gelu<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 0.5 * x * (1.0 + tanh(0.7978846 * (x + 0.044715 * x * x * x))), xs)
    }

    pub fn sigmoid<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 1.0 / (1.0 + exp(-x)), xs)
    }

    /// Channels first.
    pub fn max_pool<C, H, W, K, S>(xs: [[[f32; W]; H]; C]) -> [[[f32; (W - K + S) / S]; (H - K + S) / S]; C]
    where
        K <= H,
        K <= W,
    {
        map(|plane| map2D(
            |window| reduce(f32::NEG_INFINITY, max, join(window)),
            slide2D((K, K), (S, S), plane),
        ), xs)
    }

    /// Channels last.
    pub fn max_pool_last<C, H, W, K, S>(xs: [[[f32; C]; W]; H]) -> [[[f32; C]; (W - K + S) / S]; (H - K + S) / S]
    where
        K <= H,
        K <= W,
    {
        map2D(
            |window| map(|column| reduce(f32::NEG_INFINITY, max, column), transpose(join(window))),
            slide2D((K, K), (S, S), xs),
        )
    }

    /// Channels first.
    pub fn average_pool<C, H, W, K, S>(
        xs: [[[f32; W]; H]; C],
    ) -> [[[f32; (W - K + S) / S]; (H - K + S) / S]; C]
    where
        K <= H,
        K <= W,
    {
        map(|plane| map2D(
            |window| reduce(0.0, |acc, x| acc + x, join(window)) / (K * K) as f32,
            slide2D((K, K), (S, S), plane),
        ), xs)
    }

    pub fn sums<N, M>(xs: [[f32; M]; N]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, x| acc + x, row), xs)
    }

    pub fn sums_of_columns<N, M>(xs: [[f32; M]; N]) -> [f32; M] {
        map(|column| reduce(0.0, |acc, x| acc + x, column), transpose(xs))
    }

    pub fn sum<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    pub fn softmax<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| {
            let top = reduce(f32::NEG_INFINITY, max, row);
            let powers = map(|x| exp(x - top), row);
            let total = reduce(0.0, |acc, x| acc + x, powers);
            map(|x| x / total, powers)
        }, xs)
    }

    /// Of what lies at the same place in all planes.
    pub fn softmax_of_planes<N, M>(planes: [[f32; M]; N]) -> [[f32; M]; N] {
        transpose(softmax(transpose(planes)))
    }

    /// Each row with mean 0 and variance 1, scaled and moved.
    pub fn layer_norm<N, M>(xs: [[f32; M]; N], scales: [f32; M], shifts: [f32; M]) -> [[f32; M]; N] {
        map(|row| {
            let mean = reduce(0.0, |acc, x| acc + x, row) / M as f32;
            let spread = reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), row) / M as f32;
            let factor = 1.0 / sqrt(spread + 0.00001);
            map(|(x, scale, shift)| (x - mean) * factor * scale + shift, zip(row, scales, shifts))
        }, xs)
    }

    /// Where the largest of each row is, the first of several.
    pub fn arg_max<N, M>(xs: [[f32; M]; N]) -> [i32; N] {
        map(|row| argBest(|best, x| x > best, row).0, xs)
    }

    pub fn prefix<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }

    pub fn prefix_of_rows<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| scan(0.0, |acc, x| acc + x, row), xs)
    }

    pub fn prefix_of_columns<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        transpose(prefix_of_rows(transpose(xs)))
    }
}
