//! Functions of rows: sums and other reductions, softmax, norms. [`along`](crate::along()) applies them along any axis.

use lift::lift;

lift! {
    pub fn sum<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    pub fn mean<N>(xs: [f32; N]) -> f32 {
        sum(xs) / N as f32
    }

    pub fn prod<N>(xs: [f32; N]) -> f32 {
        reduce(1.0, |acc, x| acc * x, xs)
    }

    /// The largest number.
    pub fn max_of<N>(xs: [f32; N]) -> f32 {
        reduce(f32::NEG_INFINITY, max, xs)
    }

    /// The smallest number.
    pub fn min_of<N>(xs: [f32; N]) -> f32 {
        reduce(f32::INFINITY, min, xs)
    }

    pub fn sum_squares<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x * x, xs)
    }

    /// The sum of the absolute values.
    pub fn l1<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + abs(x), xs)
    }

    /// The root of the sum of squares.
    pub fn l2<N>(xs: [f32; N]) -> f32 {
        sqrt(sum_squares(xs))
    }

    /// The logarithm of the sum.
    pub fn log_sum<N>(xs: [f32; N]) -> f32 {
        ln(sum(xs))
    }

    /// The logarithm of the sum of exponentials, also where these are too large for a float.
    pub fn log_sum_exp<N>(xs: [f32; N]) -> f32 {
        let top = max_of(xs);
        let safe = if top == f32::NEG_INFINITY || top == f32::INFINITY { 0.0 } else { top };
        safe + ln(reduce(0.0, |acc, x| acc + exp(x - safe), xs))
    }

    /// Where the largest is, the first of several.
    pub fn arg_max<N>(xs: [f32; N]) -> i32 {
        argBest(|best, x| x > best, xs).0
    }

    /// Where the largest is, the last of several.
    pub fn arg_max_last<N>(xs: [f32; N]) -> i32 {
        argBest(|best, x| x >= best, xs).0
    }

    /// Where the smallest is, the first of several.
    pub fn arg_min<N>(xs: [f32; N]) -> i32 {
        argBest(|best, x| x < best, xs).0
    }

    /// Where the smallest is, the last of several.
    pub fn arg_min_last<N>(xs: [f32; N]) -> i32 {
        argBest(|best, x| x <= best, xs).0
    }

    /// Exponentials that sum to 1.
    pub fn softmax<N>(xs: [f32; N]) -> [f32; N] {
        let top = reduce(f32::NEG_INFINITY, max, xs);
        let powers = map(|x| exp(x - top), xs);
        let total = reduce(0.0, |acc, x| acc + x, powers);
        map(|x| x / total, powers)
    }

    /// The logarithm of `softmax`.
    pub fn log_softmax<N>(xs: [f32; N]) -> [f32; N] {
        let top = reduce(f32::NEG_INFINITY, max, xs);
        let total = ln(reduce(0.0, |acc, x| acc + exp(x - top), xs));
        map(|x| (x - top) - total, xs)
    }

    /// 1 where the largest is, the first of several, else 0.
    pub fn hard_max<N>(xs: [f32; N]) -> [f32; N] {
        let best = argBest(|best, x| x > best, xs).0;
        generate(N, |i| if i as i32 == best { 1.0 } else { 0.0 })
    }

    /// Divided by the sum of the absolute values: 0 stays where all are 0.
    pub fn l1_normalized<N>(xs: [f32; N]) -> [f32; N] {
        let norm = l1(xs);
        map(|x| if norm == 0.0 { 0.0 } else { x / norm }, xs)
    }

    /// Divided by the root of the sum of squares: 0 stays where all are 0.
    pub fn l2_normalized<N>(xs: [f32; N]) -> [f32; N] {
        let norm = l2(xs);
        map(|x| if norm == 0.0 { 0.0 } else { x / norm }, xs)
    }

    /// Mean 0 and variance 1, where `epsilon` is added to the variance.
    pub fn normalized<N>(xs: [f32; N], epsilon: f32) -> [f32; N] {
        let mean = mean(xs);
        let variance = reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), xs) / N as f32;
        let factor = 1.0 / sqrt(variance + epsilon);
        map(|x| (x - mean) * factor, xs)
    }

    /// `normalized`, then scaled and moved, each element by itself.
    pub fn layer_norm<N>(xs: [f32; N], scales: [f32; N], shifts: [f32; N], epsilon: f32) -> [f32; N] {
        map(|(x, scale, shift)| x * scale + shift, zip(normalized(xs, epsilon), scales, shifts))
    }

    /// Divided by the root of the mean of squares, then scaled, each element by itself.
    pub fn rms_norm<N>(xs: [f32; N], scales: [f32; N], epsilon: f32) -> [f32; N] {
        let factor = 1.0 / sqrt(sum_squares(xs) / N as f32 + epsilon);
        map(|(x, scale)| x * factor * scale, zip(xs, scales))
    }

    /// Each divided by a power of the squares around it: `LEFT` elements before and `RIGHT` after it.
    pub fn lrn<N, LEFT, RIGHT>(xs: [f32; N], alpha: f32, beta: f32, bias: f32) -> [f32; N]
    where
        LEFT >= 0,
        RIGHT >= 0,
    {
        let windows = slide(LEFT + 1 + RIGHT, 1, pad(LEFT, RIGHT, 0.0, xs));
        map(
            |(x, window)| {
                let squares = sum_squares(window);
                x / pow(bias + alpha / (LEFT + 1 + RIGHT) as f32 * squares, beta)
            },
            zip(xs, windows),
        )
    }

    /// Sums of what comes before each element, and itself.
    pub fn cumulative_sum<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }
}
