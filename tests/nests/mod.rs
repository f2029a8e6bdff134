//! Reductions inside nested maps, written as users write them: what schedules are derived from.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use lift::constraints::Limits;
use lift::prelude::*;
use lift::schedules::{Candidate, Schedule};
use lift::{Program, Sizes};
use lift_core::nat::Var;
use std::collections::BTreeSet;

lift! {
    pub fn nhwc<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), zip(kernels, biases)), windows)
    }
    pub fn relu_outside<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map3D(|x| max(x, 0.0), map2D(|window| map(|(kernel, bias)| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))) + bias, zip(kernels, biases)), windows))
    }
    pub fn relu_inside_batch<N, K, C, H, W, S>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], inputs: [[[[f32; C]; W]; H]; N]) -> [[[[f32; K]; (W - 1 + S) / S]; (H - 1 + S) / S]; N]  {
        map(|input| {
            let windows = slide2D((3, 3), (S, S), pad2D(1, 1, 1, 1, 0.0, input));
            map2D(|window| map(|(kernel, bias)| max(0.0, reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel))))), zip(kernels, biases)), windows)
        }, inputs)
    }
    pub fn nchw<K, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; K], biases: [f32; K], input: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        let padded = map(|plane| pad2D(1, 1, 1, 1, 0.0, plane), input);
        let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), padded)));
        map(|(kernel, bias)| map2D(|window| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), windows), zip(kernels, biases))
    }
    /// With a border for the next layer, wider on one side, around what an activation gives.
    pub fn bordered<K, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; K], biases: [f32; K], input: [[[f32; W + 2]; H + 2]; C]) -> [[[f32; W + 3]; H + 2]; K] {
        let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), input)));
        let sums = map(|(kernel, bias)| map2D(|window| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), windows), zip(kernels, biases));
        map(|plane| pad2D(1, 2, 1, 1, -1.0, map2D(|x| max(x, 0.0), plane)), sums)
    }
    pub fn nchw_sums<K, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; K], biases: [f32; K], input: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        let padded = map(|plane| pad2D(1, 1, 1, 1, 0.0, plane), input);
        let windows = map(|plane| slide2D((3, 3), (1, 1), plane), padded);
        map(|(kernel, bias)| map2D(|x| x + bias, reduce(repeat(H, repeat(W, 0.0)), |acc, (plane, k)| map2D(|(a, w)| a + reduce(0.0, |s, (x, y)| s + x * y, zip(join(w), join(k))), zip2D(acc, plane)), zip(windows, kernel))), zip(kernels, biases))
    }
    pub fn product<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }
    pub fn best_of_rows<N, M>(rows: [[f32; N]; M]) -> ([i32; M], [f32; M]) {
        unzip(map(|row| argBest(|best, x| x > best, row), rows))
    }
    #[strict]
    pub fn classes<N, M, L>(weights: [[f32; L]; N], inputs: [[f32; L]; M]) -> [i32; M] {
        let scores = |x| map(|w| reduce(0.0, |sum, (x, y)| sum + x * y, zip(w, x)), weights);
        map(|x| argBest(|best, score| score > best, scores(x)).0, inputs)
    }
    pub fn depthwise<C, H, W>(const kernels: [[[f32; C]; 3]; 3], input: [[[f32; C]; W]; H]) -> [[[f32; C]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let taps = map(transpose, transpose(map(transpose, kernels)));
        map2D(|window| map(|(w, k)| reduce(0.0, |acc, (x, y)| acc + x * y, zip(join(w), join(k))), zip(map(transpose, transpose(map(transpose, window))), taps)), windows)
    }
    /// A depthwise convolution, channels first, with a bias and any step.
    pub fn planes<C, H, W, S>(const kernels: [[[f32; 3]; 3]; C], biases: [f32; C], input: [[[f32; W]; H]; C]) -> [[[f32; (W - 1 + S) / S]; (H - 1 + S) / S]; C] {
        let sum = |window, kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel)));
        let windows = |plane| slide2D((3, 3), (S, S), pad2D(1, 1, 1, 1, 0.0, plane));
        map(|(plane, kernel, bias)| map2D(|window| max(0.0, bias + sum(window, kernel)), windows(plane)), zip(input, kernels, biases))
    }
    /// Five by five, with a border of zeros.
    pub fn blurred<H, W>(taps: [[f32; 5]; 5], picture: [[f32; W]; H]) -> [[f32; W]; H] {
        map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(taps))), slide2D((5, 5), (1, 1), pad2D(2, 2, 2, 2, 0.0, picture)))
    }
    /// The largest neighbour of each pixel; beyond the edge there is the edge.
    pub fn largest_beside<H, W>(picture: [[f32; W]; H]) -> [[f32; W]; H] where H >= 1, W >= 1 {
        map2D(|window| reduce(f32::NEG_INFINITY, max, join(window)), slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, picture)))
    }
    pub fn one_by_one<K, C, H, W>(const kernels: [[f32; C]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        map2D(|x| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), kernels), input)
    }
    /// Any window and padding, channels first.
    pub fn padded<K, C, KH, KW, H, W, P>(const kernels: [[[[f32; KW]; KH]; C]; K], input: [[[f32; W]; H]; C]) -> [[[f32; W + 2 * P - KW + 1]; H + 2 * P - KH + 1]; K] where P >= 0, KH <= H + 2 * P, KW <= W + 2 * P {
        let windows = map(transpose, transpose(map(|plane| slide2D((KH, KW), (1, 1), pad2D(P, P, P, P, 0.0, plane)), input)));
        map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
    }
    /// The same with any step.
    pub fn stepping<K, C, KH, KW, H, W, S, P>(const kernels: [[[[f32; KW]; KH]; C]; K], input: [[[f32; W]; H]; C]) -> [[[f32; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]; K] where P >= 0, KH <= H + 2 * P, KW <= W + 2 * P {
        let windows = map(transpose, transpose(map(|plane| slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, plane)), input)));
        map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
    }
    /// AlexNet's first layer: the windows need not cover the input.
    pub fn alexnet<K, C, H, W>(const kernels: [[[[f32; C]; 11]; 11]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; (W - 7) / 4]; (H - 7) / 4] where H >= 11, W >= 11 {
        let windows = slide2D((11, 11), (4, 4), input);
        map2D(|window| map(|(kernel, bias)| max(reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), 0.0), zip(kernels, biases)), windows)
    }
    pub fn five_by_five<N, K, C, H, W>(const kernels: [[[[f32; 5]; 5]; C]; K], biases: [f32; K], inputs: [[[[f32; W]; H]; C]; N]) -> [[[[f32; W]; H]; K]; N] {
        map(|input| {
            let windows = map(transpose, transpose(map(|plane| slide2D((5, 5), (1, 1), pad2D(2, 2, 2, 2, 0.0, plane)), input)));
            map(|(kernel, bias)| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))) + bias, windows), zip(kernels, biases))
        }, inputs)
    }
    pub fn dilated<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W - 4]; H - 4] where H >= 5, W >= 5 {
        let every = |span| map(|row| join(slide(1, 2, row)), join(slide(1, 2, span)));
        map2D(|span| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(every(span)), join2D(kernel))), kernels), slide2D((5, 5), (1, 1), input))
    }
    pub fn grouped<G, M, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; G * M], input: [[[f32; W]; H]; G * C]) -> [[[f32; W - 2]; H - 2]; G * M] where H >= 3, W >= 3 {
        join(map(|(kernels, channels)| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), channels)));
            map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
        }, zip(split(M, kernels), split(C, input))))
    }
    /// The same with a bias behind it, and a batch.
    pub fn grouped_bias<N, G, M, C, H, W>(const kernels: [[[[f32; 3]; 3]; C]; G * M], biases: [f32; G * M], inputs: [[[[f32; W]; H]; G * C]; N]) -> [[[[f32; W - 2]; H - 2]; G * M]; N] where H >= 3, W >= 3 {
        let sums = map(|input| join(map(|(kernels, channels)| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), channels)));
            map(|kernel| map2D(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), windows), kernels)
        }, zip(split(M, kernels), split(C, input)))), inputs);
        map(|planes| map(|(plane, bias)| map2D(|x| x + bias, plane), zip(planes, biases)), sums)
    }
    /// With a bias, and with another array added before the activation.
    pub fn residual<K, C, H, W>(const kernels: [[f32; C]; K], biases: [f32; K], input: [[[f32; W]; H]; C], other: [[[f32; W]; H]; K]) -> [[[f32; W]; H]; K] {
        let pixels = map(transpose, transpose(input));
        let sums = map(|kernel| map2D(|x| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), pixels), kernels);
        let biased = map(|(plane, bias)| map2D(|x| x + bias, plane), zip(sums, biases));
        map3D(|(x, y)| max(x + y, 0.0), zip3D(biased, other))
    }
    /// A transposed convolution, 2 × 2 windows that do not overlap.
    pub fn up<K, C, H, W>(const kernels: [[[[f32; C]; K]; 2]; 2], input: [[[f32; C]; W]; H]) -> [[[f32; K]; 2 * W]; 2 * H] {
        let pixel = |x, row| map(|matrix| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), matrix), row);
        join(map(|xs| map(|row| join(map(|x| pixel(x, row), xs)), kernels), input))
    }
    /// Many products, each with factors of its own.
    pub fn matrices<B, N, M, L>(a: [[[f32; L]; N]; B], b: [[[f32; L]; M]; B]) -> [[[f32; M]; N]; B] {
        map(|(a, b)| map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), b), a), zip(a, b))
    }
    pub fn hwio<K, C, H, W>(const kernels: [[[[f32; K]; C]; 3]; 3], biases: [f32; K], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W - 2]; H - 2] where H >= 3, W >= 3 {
        let channels = transpose(map(transpose, map2D(transpose, kernels)));
        map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(join(kernel)))), zip(channels, biases)), slide2D((3, 3), (1, 1), input))
    }
    pub fn pointwise<K, C, H, W>(const kernels: [[f32; C]; K], input: [[[f32; W]; H]; C]) -> [[[f32; W]; H]; K] {
        let pixels = map(transpose, transpose(input));
        map(|kernel| map2D(|x| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), pixels), kernels)
    }
    pub fn bias_by_position<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [[f32; W]; H], input: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        map2D(|(window, bias)| map(|kernel| max(0.0, reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)))), kernels), zip2D(windows, biases))
    }
    /// With what the activation was given.
    pub fn both<K, C, H, W>(const kernels: [[[[f32; C]; 3]; 3]; K], biases: [f32; K], input: [[[f32; C]; W]; H]) -> ([[[f32; K]; W]; H], [[[f32; K]; W]; H]) {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let sums = map2D(|window| map(|(kernel, bias)| reduce(bias, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))), zip(kernels, biases)), windows);
        (sums, map3D(|x| max(x, 0.0), sums))
    }
    pub fn fir<N, T>(const taps: [f32; T], signal: [f32; N]) -> [f32; N - T + 1] where T <= N {
        map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, taps)), slide(T, 1, signal))
    }
    pub fn boxes<H, W, S>(xs: [[f32; W]; H]) -> [[f32; W - S + 1]; H - S + 1] where S <= W, S <= H, S >= 1 {
        map2D(|window| reduce(0.0, |acc, x| acc + x, join(window)), slide2D((S, S), (1, 1), xs))
    }
    pub fn pooling<C, H, W>(xs: [[[f32; 2 * W]; 2 * H]; C]) -> [[[f32; W]; H]; C] {
        map(|plane| map2D(|window| reduce(f32::NEG_INFINITY, max, join(window)), slide2D((2, 2), (2, 2), plane)), xs)
    }
    pub fn vector<N, M>(a: [[f32; M]; N], x: [f32; M]) -> [f32; N] {
        map(|row| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, x)), a)
    }
    pub fn total<N>(xs: [f32; N]) -> f32 {
        reduce(0.5, |acc, x| acc + x, xs)
    }
    pub fn centred<N>(xs: [f32; N]) -> [f32; N] {
        let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f32;
        let variance = reduce(0.0, |acc, x| acc + x * x, map(|x| x - mean, xs)) / N as f32;
        map(|x| (x - mean) / sqrt(variance + 0.001), xs)
    }
    pub fn columns<N, M>(xs: [[f32; M]; N], scale: [f32; M]) -> [f32; M] {
        map(|(column, s)| s * reduce(0.0, |acc, x| acc + x, column), zip(transpose(xs), scale))
    }
    pub fn vector_first<N, M>(x: [f32; N], a: [[f32; M]; N]) -> [f32; M] {
        map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(x, column)), transpose(a))
    }
    pub fn best<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(|best, x| x < best, xs)
    }
    pub fn prefix<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.5, |acc, x| acc + 2.0 * x, xs)
    }
    pub fn prefix_of_rows<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| scan(f32::NEG_INFINITY, max, row), xs)
    }
    /// Prefix sums of products, each row from a start of its own.
    pub fn weighted<N, M>(rows: [[f32; M]; N], weights: [f32; M], starts: [f32; N]) -> [[f32; M]; N] {
        map(|(row, start)| scan(start, |sum, (x, w)| sum + x * w, zip(row, weights)), zip(rows, starts))
    }
    pub fn highest<N>(xs: [f32; N]) -> [f32; N] {
        scan(-4.0, |best, x| max(best, x), xs)
    }
    /// What is before cannot be taken together: the function is not associative.
    pub fn decay<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |level, x| 0.5 * level + x, xs)
    }
    pub fn normalised<N, M>(xs: [[f32; M]; N], scale: [f32; M]) -> [[f32; M]; N] where M >= 1 {
        map(|row| {
            let mean = reduce(0.0, |acc, x| acc + x, row) / M as f32;
            let from = map(|x| x - mean, row);
            let variance = reduce(0.0, |acc, x| acc + x * x, from) / M as f32;
            map(|(x, s)| s * x / sqrt(variance + 0.001), zip(from, scale))
        }, xs)
    }
    pub fn softmax<N, M>(xs: [[f32; M]; N]) -> [[f32; M]; N] {
        map(|row| { let top = reduce(-1.0e30, |a, b| max(a, b), row); let e = map(|x| exp(x - top), row); let total = reduce(0.0, |a, b| a + b, e); map(|x| x / total, e) }, xs)
    }
    /// The share of each plane at a position.
    pub fn transposition<H, W>(xs: [[f32; W]; H]) -> [[f32; H]; W] {
        transpose(xs)
    }
    pub fn channels_last<C, H, W>(planes: [[[f32; W]; H]; C]) -> [[[f32; C]; W]; H] {
        map(transpose, transpose(planes))
    }
    pub fn sum_with_turned<H, W>(xs: [[f32; W]; H], ys: [[f32; H]; W]) -> [[f32; H]; W] {
        map2D(|(x, y)| 2.0 * x + y, zip2D(transpose(xs), ys))
    }
    pub fn shares<C, N>(planes: [[f32; N]; C], scale: [f32; N]) -> [[f32; N]; C] {
        transpose(map(|(xs, s)| { let squares = map(|x| x * x + 1.0, xs); let total = reduce(0.0, |a, b| a + b, squares); map(|x| s * x / total, squares) }, zip(transpose(planes), scale)))
    }
}

/// What schedules say that need a `map` over weights alone, or a `map` around a reduction.
pub const NO_WEIGHTS_ALONE: &str = "no `map` goes over its weights alone, as over a convolution's output channels or a product's columns \
     (weights are the factor that is `const`, or else the last one)";

pub const NO_POSITIONS: &str = "no `map` goes only over what its weights are multiplied with, as over a convolution's positions or a product's \
     rows (weights are the factor that is `const`, or else the last one)";

pub const NO_REDUCTION: &str = "the innermost `map` that makes its result has no `reduce` in its function";

/// A program with sizes to run it at, in the order of its `<…>`.
pub type Nest = (fn() -> &'static Program, &'static [usize]);

/// Programs that read neighbours which are far apart in the result.
pub const TURNED: &[Nest] = &[
    // H, W
    (transposition::program, &[32, 16]),
    (transposition::program, &[13, 6]),
    // C, H, W
    (channels_last::program, &[3, 5, 8]),
    (channels_last::program, &[16, 4, 8]),
    // H, W
    (sum_with_turned::program, &[8, 16]),
    (sum_with_turned::program, &[7, 19]),
];

/// Programs that slide windows over rows.
pub const FRAMED: &[Nest] = &[
    // C, H, W, S
    (planes::program, &[3, 8, 8, 1]),
    (planes::program, &[2, 9, 13, 1]),
    (planes::program, &[2, 9, 8, 2]),
    (planes::program, &[1, 11, 12, 4]),
    // H, W
    (largest_beside::program, &[9, 12]),
];

pub const NESTS: &[Nest] = &[
    // K, C, H, W
    (nhwc::program, &[8, 3, 4, 4]),
    (relu_outside::program, &[4, 2, 2, 4]),
    // N, K, C, H, W, S
    (relu_inside_batch::program, &[3, 4, 3, 7, 4, 2]),
    (nchw::program, &[4, 3, 4, 8]),
    // N, M, L
    (product::program, &[8, 16, 5]),
    // C, H, W
    (depthwise::program, &[4, 4, 4]),
    (one_by_one::program, &[8, 5, 2, 7]),
    (pointwise::program, &[8, 5, 2, 8]),
    (alexnet::program, &[4, 3, 18, 17]),
    // N, K, C, H, W
    (five_by_five::program, &[3, 2, 3, 4, 4]),
    (dilated::program, &[4, 2, 6, 8]),
    // G, M, C, H, W
    (grouped::program, &[2, 4, 3, 4, 6]),
    // N, G, M, C, H, W
    (grouped_bias::program, &[2, 2, 4, 3, 4, 6]),
    // K, C, H, W
    (residual::program, &[8, 5, 2, 8]),
    // N, T
    (fir::program, &[19, 4]),
    // N, M
    (softmax::program, &[4, 6]),
    // H, W, S
    (boxes::program, &[9, 18, 3]),
    // C, H, W
    (pooling::program, &[3, 4, 8]),
    // N, M
    (vector::program, &[8, 24]),
    // N
    (total::program, &[64]),
    (centred::program, &[32]),
    // N, M
    (columns::program, &[16, 8]),
    (vector_first::program, &[32, 8]),
    // N
    (prefix::program, &[128]),
    // N, M
    (prefix_of_rows::program, &[8, 12]),
    (normalised::program, &[3, 16]),
    // K, C, H, W
    (hwio::program, &[8, 8, 6, 10]),
    // K, C, KH, KW, H, W, P
    (padded::program, &[4, 2, 3, 2, 6, 7, 1]),
    // K, C, KH, KW, H, W, S, P
    (stepping::program, &[4, 4, 2, 2, 7, 7, 2, 0]),
    // K, C, H, W
    (up::program, &[8, 3, 3, 8]),
    // B, N, M, L
    (matrices::program, &[2, 8, 16, 5]),
    // K, C, H, W
    (bordered::program, &[4, 3, 4, 8]),
];

/// All selections of a schedule's options.
pub fn selections(schedule: &Schedule) -> Vec<Vec<&'static str>> {
    schedule.options.iter().fold(vec![vec![]], |all, (name, _)| {
        let with = all.iter().map(|some| [&some[..], &[*name]].concat());
        with.chain(all.iter().cloned()).collect()
    })
}

/// How much of what a schedule makes of a program is tried.
#[derive(Clone, Copy)]
pub struct Effort {
    /// What is drawn depends on it alone.
    pub seed: u64,
    /// Selections of options, at most.
    pub selections: usize,
    /// Points of all these together; of each one at least.
    pub points: usize,
}

/// What a schedule makes of a program with no option and with some selections of them, and points of each.
pub fn forms(schedule: &Schedule, program: &Program, sizes: &[usize], effort: Effort) -> Vec<Form> {
    let mut selections = selections(schedule);
    fastrand::Rng::with_seed(effort.seed).shuffle(&mut selections);
    selections.sort_by_key(|options| !options.is_empty());
    let derived = selections.iter().filter_map(|options| schedule.derive(program, options).ok());
    let candidates: Vec<Candidate> = derived.take(effort.selections).collect();
    let all = candidates.len();
    // The first have one more where they don't share evenly.
    let share = |k: usize| (effort.points / all + usize::from(k < effort.points % all)).max(1);
    let with_points =
        |(k, candidate)| Form { points: points_from(&candidate, sizes, share(k), effort.seed), candidate };
    candidates.into_iter().enumerate().map(with_points).collect()
}

/// What a schedule makes of a program, and where to try it.
pub struct Form {
    pub candidate: Candidate,
    pub points: Vec<Vec<usize>>,
}

/// So many points are drawn for each that is taken.
const DRAWN: usize = 16;

/// Drivers of processors have this much local memory, and of all else whatever a kernel asks for.
const LOCAL: Limits = Limits {
    group: i64::MAX,
    sides: [i64::MAX; 3],
    local: 1 << 20,
    private: i64::MAX,
    alone: i64::MAX,
    buffer: i64::MAX,
};

/// Values of all sizes at which the parameters fit, at most so many, of those drawn: each has the most values that none
/// before it had. The larger half is left out: some of it writes out thousands of statements.
pub fn points(candidate: &Candidate, sizes: &[usize], most: usize) -> Vec<Vec<usize>> {
    points_from(candidate, sizes, most, 7)
}

/// Those that are drawn from a seed.
pub fn points_from(candidate: &Candidate, sizes: &[usize], most: usize, seed: u64) -> Vec<Vec<usize>> {
    let program = &candidate.program;
    let given = Sizes(program.given().map(|s| s.var.clone()).zip(sizes.iter().map(|n| *n as i64)).collect());
    let space = lift_core::tune::choose::space(program, &given).expect("the sizes fit");
    let mut drawn: Vec<_> = space.problem(&|v| given.get(v)).sample(seed).take(DRAWN * most).collect();
    let room = (!candidate.is_open()).then(|| candidate.placements(&given, LOCAL).expect("the sizes fit"));
    drawn.retain(|values| {
        let value = |var: &Var| {
            let at = program.sizes().iter().filter(|s| s.tune.is_some()).position(|s| s.var == *var)?;
            values.get(at).copied()
        };
        room.as_ref().is_none_or(|room| {
            let solution = room.solution(&[], &value).expect("all parameters have values");
            room.broken(&room.placement(&solution)).is_empty()
        })
    });
    drawn.sort_by_key(|values| values.iter().map(|n| *n.max(&1)).product::<i64>());
    drawn.truncate((drawn.len() / 2).max(most));
    fastrand::Rng::with_seed(seed).shuffle(&mut drawn);
    let mut tried = BTreeSet::new();
    let mut points = vec![];
    while points.len() < most && !drawn.is_empty() {
        let is_new = |(k, n): &(usize, &i64)| !tried.contains(&(*k, **n));
        let news = |values: &[i64]| values.iter().enumerate().filter(is_new).count();
        let most = drawn.iter().map(|values| news(values)).max();
        let next = drawn.iter().position(|values| Some(news(values)) == most).expect("there are some");
        let values = drawn.remove(next);
        points.push(sizes.iter().copied().chain(values.iter().map(|n| *n as usize)).collect());
        tried.extend(values.into_iter().enumerate());
    }
    points
}

/// The program at a point, its maps where they are when nobody says where.
pub fn placed(candidate: &Candidate, point: &[usize]) -> Program {
    let vars = candidate.program.sizes().iter().map(|size| size.var.clone());
    let sizes = Sizes(vars.zip(point.iter().map(|n| *n as i64)).collect());
    candidate.placed(&sizes, Limits::default()).expect("there is room")
}
