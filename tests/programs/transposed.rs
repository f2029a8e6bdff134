//! Transposed convolution: the input is spread with zeros, then convolved.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Array3, Ix1, Ix2, Ix3, Ix4};

lift! {
    /// Every input element adds the kernel, times itself, `S` elements further.
    pub fn transposed_1d<N, K, S>(kernel: [f32; K], input: [f32; N]) -> [f32; (N - 1) * S + K] {
        let spread = take((N - 1) * S + 1, join(map(|x| pad(0, S - 1, 0.0, x), split(1, input))));
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, reverse(kernel))),
            slide(K, 1, pad(K - 1, K - 1, 0.0, spread)),
        )
    }

    /// The zeros after the last element cropped by padding a negative amount.
    pub fn transposed_cropped<N, K, S>(kernel: [f32; K], input: [f32; N]) -> [f32; (N - 1) * S + K] {
        let spread = join(map(|x| pad(0, S - 1, 0.0, x), split(1, input)));
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, reverse(kernel))),
            slide(K, 1, pad(K - 1, K - S, 0.0, spread)),
        )
    }

    pub fn transposed_2d<H, W, KH, KW, S>(
        kernel: [[f32; KW]; KH],
        input: [[f32; W]; H],
    ) -> [[f32; (W - 1) * S + KW]; (H - 1) * S + KH] {
        let rows = map(|row| take((W - 1) * S + 1, join(map(|x| pad(0, S - 1, 0.0, x), split(1, row)))), input);
        let spread = take((H - 1) * S + 1, join(map(|row| pad(0, S - 1, 0.0, row), split(1, rows))));
        let flipped = reverse(map(reverse, kernel));
        map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(flipped))),
            slide2D((KH, KW), (1, 1), pad2D(KW - 1, KW - 1, KH - 1, KH - 1, 0.0, spread)),
        )
    }

    /// A layer that doubles the resolution, channels last; the weights are laid out
    /// as `[inputs][outputs][K][K]`, as frameworks have them.
    pub fn transposed_layer<H, W, C, M, K>(
        weights: [[[[f32; K]; K]; M]; C],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; M]; 2 * W + K - 2]; 2 * H + K - 2] {
        let double = |xs| join(map(|x| pad(0, 1, 0.0, x), split(1, xs)));
        let spread = pad2D(K - 1, K - 2, K - 1, K - 2, 0.0, double(map(|row| double(row), input)));
        // For each output the kernels of all inputs, upside down: [M][K * K][C].
        let kernels = map(
            |kernels| transpose(map(|kernel| reverse(join(kernel)), kernels)),
            transpose(weights),
        );
        map2D(
            |window| map(
                |kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(join(window)), join(kernel))),
                kernels,
            ),
            slide2D((K, K), (1, 1), spread),
        )
    }
}

pub const CASES: &[Case] = &[
    Case { program: transposed_1d::program, largest: &[23, 7, 5], range: NUMBERS, expected: line },
    Case { program: transposed_cropped::program, largest: &[23, 7, 5], range: NUMBERS, expected: line },
    Case {
        program: transposed_2d::program,
        largest: &[7, 7, 5, 5, 4],
        range: NUMBERS,
        expected: |n, x| {
            let (kernel, input, step) = (view::<Ix2>(&x[0]), view::<Ix2>(&x[1]), n[4]);
            let ((kh, kw), (h, w)) = (kernel.dim(), input.dim());
            let mut result = Array2::zeros(((h - 1) * step + kh, (w - 1) * step + kw));
            for ((y, x), value) in input.indexed_iter() {
                for ((i, j), weight) in kernel.indexed_iter() {
                    result[[y * step + i, x * step + j]] += value * weight;
                }
            }
            one(result)
        },
    },
    Case {
        program: transposed_layer::program,
        largest: &[7, 5, 3, 4, 4],
        range: NUMBERS,
        expected: |_, x| {
            let (weights, input) = (view::<Ix4>(&x[0]), view::<Ix3>(&x[1]));
            let ((_, m, k, _), (h, w, _)) = (weights.dim(), input.dim());
            let mut result = Array3::zeros((2 * h + k - 2, 2 * w + k - 2, m));
            for ((y, x, c), value) in input.indexed_iter() {
                for m in 0..m {
                    for i in 0..k {
                        for j in 0..k {
                            result[[2 * y + i, 2 * x + j, m]] += value * weights[[c, m, i, j]];
                        }
                    }
                }
            }
            one(result)
        },
    },
];

fn line(sizes: &[usize], x: &[ndarray::ArrayD<f64>]) -> Vec<ndarray::ArrayD<f64>> {
    let (kernel, input, step) = (view::<Ix1>(&x[0]), view::<Ix1>(&x[1]), sizes[2]);
    let mut result = Array1::zeros((input.len() - 1) * step + kernel.len());
    for (i, value) in input.iter().enumerate() {
        for (j, weight) in kernel.iter().enumerate() {
            result[i * step + j] += value * weight;
        }
    }
    one(result)
}
