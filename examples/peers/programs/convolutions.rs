//! Convolution layers of networks for pictures: any window, stride and padding, a bias for each output channel.

use lift::prelude::*;

lift! {
    /// Channels last.
    pub fn conv<K, KH, KW, C, H, W, S, P>(
        const kernels: [[[[f32; C]; KW]; KH]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(kernels, biases),
            ),
            slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, input)),
        )
    }

    /// Channels last, several pictures.
    pub fn conv_batch<N, K, KH, KW, C, H, W, S, P>(
        const kernels: [[[[f32; C]; KW]; KH]; K],
        biases: [f32; K],
        inputs: [[[[f32; C]; W]; H]; N],
    ) -> [[[[f32; K]; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]; N]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        map(
            |input| map2D(
                |window| map(
                    |(kernel, bias)| reduce(
                        bias,
                        |acc, (x, w)| acc + x * w,
                        zip(join(join(window)), join(join(kernel))),
                    ),
                    zip(kernels, biases),
                ),
                slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, input)),
            ),
            inputs,
        )
    }

    /// Channels first: a window is a stack of small planes.
    pub fn conv_first<K, C, KH, KW, H, W, S, P>(
        const kernels: [[[[f32; KW]; KH]; C]; K],
        biases: [f32; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]; K]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        let planes = map(|plane| slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, plane)), input);
        let windows = map(transpose, transpose(planes));
        map(
            |(kernel, bias)| map2D(
                |window| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                windows,
            ),
            zip(kernels, biases),
        )
    }

    /// Each position by itself: windows of one element.
    pub fn pointwise<K, C, H, W>(
        const kernels: [[f32; C]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        map2D(
            |x| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), kernels),
            input,
        )
    }
}
