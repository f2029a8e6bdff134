//! Convolution layers: GPGPU'20's, and the kinds that networks have beside it.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array2, Array3, Array4, ArrayD, Ix1, Ix2, Ix3, Ix4};

lift! {
    /// GPGPU'20, listing 3: channels last, padding and stride for each side. A size is at least 1, so
    /// the padding is one less than `L`, `R`, `T` and `B`.
    pub fn conv_layer<K, KH, KW, C, H, W, L, R, T, B, V, S>(
        kernels: [[[[f32; C]; KW]; KH]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; (L + W + R - 2 - KW + S) / S]; (T + H + B - 2 - KH + V) / V]
    where
        KH <= T + H + B - 2,
        KW <= L + W + R - 2,
    {
        let padded = pad2D(L - 1, R - 1, T - 1, B - 1, 0.0, input);
        let windows = slide2D((KH, KW), (V, S), padded);
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(kernels, biases),
            ),
            windows,
        )
    }
}

lift! {
    /// A layer, channels first, of a batch of images, with bias and activation; padding `P - 1`.
    pub fn conv_nchw<N, C, H, W, M, KH, KW, P, S>(
        weights: [[[[f32; KW]; KH]; C]; M],
        biases: [f32; M],
        input: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32; (W + 2 * P - 2 - KW + S) / S]; (H + 2 * P - 2 - KH + S) / S]; M]; N]
    where
        KH <= H + 2 * P - 2,
        KW <= W + 2 * P - 2,
    {
        let relu = |x| max(x, 0.0);
        map(
            |image| {
                let padded = map(|channel| pad2D(P - 1, P - 1, P - 1, P - 1, 0.0, channel), image);
                let windows = slide3D((C, KH, KW), (1, S, S), padded);
                map(
                    |(kernel, bias)| map2D(
                        |window| relu(reduce(
                            bias,
                            |acc, (x, w)| acc + x * w,
                            zip(join2D(window), join2D(kernel)),
                        )),
                        join(windows),
                    ),
                    zip(weights, biases),
                )
            },
            input,
        )
    }
}

lift! {
    /// Each channel with a kernel of its own.
    pub fn depthwise<C, H, W, KH, KW>(
        kernels: [[[f32; KW]; KH]; C],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; C]
    where
        KH <= H,
        KW <= W,
    {
        map(
            |(kernel, channel)| map2D(
                |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
                slide2D((KH, KW), (1, 1), channel),
            ),
            zip(kernels, input),
        )
    }

    /// One kernel, moved by `V` rows and `S` columns.
    pub fn strided<H, W, KH, KW, V, S>(
        kernel: [[f32; KW]; KH],
        input: [[f32; W]; H],
    ) -> [[f32; (W - KW + S) / S]; (H - KH + V) / V]
    where
        KH <= H,
        KW <= W,
    {
        map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
            slide2D((KH, KW), (V, S), input),
        )
    }

    /// One kernel whose elements meet every `D`-th element of the input.
    pub fn dilated<H, W, KH, KW, D>(
        kernel: [[f32; KW]; KH],
        input: [[f32; W]; H],
    ) -> [[f32; W - (KW - 1) * D]; H - (KH - 1) * D]
    where
        (KH - 1) * D < H,
        (KW - 1) * D < W,
    {
        let spans = slide2D(((KH - 1) * D + 1, (KW - 1) * D + 1), (1, 1), input);
        map2D(
            |span| {
                let window = map(|row| join(slide(1, D, row)), join(slide(1, D, span)));
                reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel)))
            },
            spans,
        )
    }
}

lift! {
    fn channels_last<C, H, W>(channels: [[[f32; W]; H]; C]) -> [[[f32; C]; W]; H] {
        map(transpose, transpose(channels))
    }

    fn dot3<A, B, C>(xs: [[[f32; C]; B]; A], ys: [[[f32; C]; B]; A]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(join2D(xs), join2D(ys)))
    }

    /// A layer, channels first.
    fn layer<C, M, H, W, KH, KW>(
        kernels: [[[[f32; KW]; KH]; C]; M],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; M]
    where
        KH <= H,
        KW <= W,
    {
        let windows = slide2D((KH, KW), (1, 1), channels_last(input));
        map(|kernel| map2D(|window| dot3(window, channels_last(kernel)), windows), kernels)
    }

    /// `G` layers side by side, each with its own channels.
    pub fn grouped<G, C, M, H, W, KH, KW>(
        kernels: [[[[f32; KW]; KH]; C]; G * M],
        input: [[[f32; W]; H]; G * C],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; G * M]
    where
        KH <= H,
        KW <= W,
    {
        join(map(|(kernels, channels)| layer(kernels, channels), zip(split(M, kernels), split(C, input))))
    }

    /// Everything that a framework's `conv2d` can do: a batch, groups, stride, padding (`PV - 1` rows,
    /// `PH - 1` columns) and dilation.
    pub fn conv2d<N, G, C, M, H, W, KH, KW, SV, SH, PV, PH, DV, DH>(
        weights: [[[[f32; KW]; KH]; C]; G * M],
        biases: [f32; G * M],
        input: [[[[f32; W]; H]; G * C]; N],
    ) -> [[[[f32; (W + 2 * PH - 3 - (KW - 1) * DH + SH) / SH]; (H + 2 * PV - 3 - (KH - 1) * DV + SV) / SV]; G * M]; N]
    where
        (KH - 1) * DV + 1 <= H + 2 * PV - 2,
        (KW - 1) * DH + 1 <= W + 2 * PH - 2,
    {
        let every = |span| map(|row| join(slide(1, DH, row)), join(slide(1, DV, span)));
        let group = |(outputs, channels)| {
            let padded = pad2D(PH - 1, PH - 1, PV - 1, PV - 1, 0.0, channels_last(channels));
            let spans = slide2D(((KH - 1) * DV + 1, (KW - 1) * DH + 1), (SV, SH), padded);
            map(|(kernel, bias)| map2D(|span| bias + dot3(every(span), channels_last(kernel)), spans), outputs)
        };
        map(|image| join(map(group, zip(split(M, zip(weights, biases)), split(C, image)))), input)
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: conv_layer::program,
        largest: &[5, 4, 4, 5, 9, 11, 3, 3, 3, 3, 3, 3],
        range: NUMBERS,
        expected: |n, x| {
            let [_, _, _, _, _, _, left, _, top, _, down, right] = n else { unreachable!() };
            let (kernels, biases, input) = (view::<Ix4>(&x[0]), view::<Ix1>(&x[1]), view::<Ix3>(&x[2]));
            let (k, kh, kw, c) = kernels.dim();
            let (h, w, _) = input.dim();
            let height = (h + top + n[9] - 2 - kh) / down + 1;
            let width = (w + left + n[7] - 2 - kw) / right + 1;
            one(Array3::from_shape_fn((height, width, k), |(y, x, k)| {
                let mut sum = biases[k];
                for i in 0..kh {
                    for j in 0..kw {
                        let (row, column) = (y * down + i + 1, x * right + j + 1);
                        if row < *top || column < *left || row - top >= h || column - left >= w {
                            continue;
                        }
                        for c in 0..c {
                            sum += input[[row - top, column - left, c]] * kernels[[k, i, j, c]];
                        }
                    }
                }
                sum
            }))
        },
    },
    Case {
        program: conv_nchw::program,
        largest: &[3, 4, 9, 8, 4, 3, 3, 3, 3],
        range: (-1.0, 1.0),
        expected: |n, x| {
            let plain = Layer { groups: 1, stride: [n[8]; 2], padding: [n[7] - 1; 2], dilation: [1; 2] };
            plain.apply(x).into_iter().map(|result| result.mapv(|v| v.max(0.0))).collect()
        },
    },
    Case {
        program: depthwise::program,
        largest: &[7, 9, 9, 4, 4],
        range: NUMBERS,
        expected: |_, x| {
            let (kernels, input) = (view::<Ix3>(&x[0]), view::<Ix3>(&x[1]));
            let ((c, kh, kw), (_, h, w)) = (kernels.dim(), input.dim());
            one(Array3::from_shape_fn((c, h - kh + 1, w - kw + 1), |(c, y, x)| {
                let mut sum = 0.0;
                for i in 0..kh {
                    for j in 0..kw {
                        sum += input[[c, y + i, x + j]] * kernels[[c, i, j]];
                    }
                }
                sum
            }))
        },
    },
    Case {
        program: strided::program,
        largest: &[17, 17, 5, 5, 4, 4],
        range: NUMBERS,
        expected: |n, x| steps(x, [n[4], n[5]], [1, 1]),
    },
    Case {
        program: dilated::program,
        largest: &[17, 17, 4, 4, 4],
        range: NUMBERS,
        expected: |n, x| steps(x, [1, 1], [n[4], n[4]]),
    },
    Case {
        program: grouped::program,
        largest: &[4, 3, 3, 7, 7, 3, 3],
        range: NUMBERS,
        expected: |n, x| {
            let (kernels, input) = (view::<Ix4>(&x[0]), view::<Ix3>(&x[1]));
            let ((outputs, c, kh, kw), (_, h, w)) = (kernels.dim(), input.dim());
            let each = outputs / n[0];
            one(Array3::from_shape_fn((outputs, h - kh + 1, w - kw + 1), |(m, y, x)| {
                let mut sum = 0.0;
                for k in 0..c {
                    for i in 0..kh {
                        for j in 0..kw {
                            sum += input[[m / each * c + k, y + i, x + j]] * kernels[[m, k, i, j]];
                        }
                    }
                }
                sum
            }))
        },
    },
    Case {
        program: conv2d::program,
        largest: &[2, 3, 3, 3, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3],
        range: NUMBERS,
        expected: |n, x| {
            let [_, groups, _, _, _, _, _, _, sv, sh, pv, ph, dv, dh] = *n else { unreachable!() };
            Layer { groups, stride: [sv, sh], padding: [pv - 1, ph - 1], dilation: [dv, dh] }.apply(x)
        },
    },
];

/// One kernel on one image, vertical and horizontal strides and dilations.
fn steps(x: &[ArrayD<f64>], stride: [usize; 2], dilation: [usize; 2]) -> Vec<ArrayD<f64>> {
    let (kernel, input) = (view::<Ix2>(&x[0]), view::<Ix2>(&x[1]));
    let ((kh, kw), (h, w)) = (kernel.dim(), input.dim());
    let height = (h - (kh - 1) * dilation[0] - 1) / stride[0] + 1;
    let width = (w - (kw - 1) * dilation[1] - 1) / stride[1] + 1;
    one(Array2::from_shape_fn((height, width), |(y, x)| {
        let mut sum = 0.0;
        for i in 0..kh {
            for j in 0..kw {
                let at = [y * stride[0] + i * dilation[0], x * stride[1] + j * dilation[1]];
                sum += input[at] * kernel[[i, j]];
            }
        }
        sum
    }))
}

/// Weights, biases and a batch of images, channels first.
struct Layer {
    groups: usize,
    stride: [usize; 2],
    padding: [usize; 2],
    dilation: [usize; 2],
}

impl Layer {
    fn apply(&self, x: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
        let (weights, biases, input) = (view::<Ix4>(&x[0]), view::<Ix1>(&x[1]), view::<Ix4>(&x[2]));
        let ((m, c, kh, kw), (n, _, h, w)) = (weights.dim(), input.dim());
        let length = |n: usize, k: usize, d: usize| {
            (n + 2 * self.padding[d] - (k - 1) * self.dilation[d] - 1) / self.stride[d] + 1
        };
        let first = |output: usize| output / (m / self.groups) * c;
        one(Array4::from_shape_fn((n, m, length(h, kh, 0), length(w, kw, 1)), |(n, m, y, x)| {
            let mut sum = biases[m];
            for k in 0..c {
                for i in 0..kh {
                    for j in 0..kw {
                        let row = y * self.stride[0] + i * self.dilation[0];
                        let column = x * self.stride[1] + j * self.dilation[1];
                        let inside = (self.padding[0]..self.padding[0] + h).contains(&row)
                            && (self.padding[1]..self.padding[1] + w).contains(&column);
                        if inside {
                            let (row, column) = (row - self.padding[0], column - self.padding[1]);
                            sum += input[[n, first(m) + k, row, column]] * weights[[m, k, i, j]];
                        }
                    }
                }
            }
            sum
        }))
    }
}
