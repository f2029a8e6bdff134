//! Convolutions as different users would write them: bias and activation before or after, channels first
//! or last, in batches, with stride, dilation, groups, and without padding.

use lift::prelude::*;

lift! {
    /// Channels last, each sum starting from the bias.
    pub fn channels_last<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
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

    /// The bias added afterwards, and the activation a pass of its own.
    pub fn activation_outside<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input));
        let sums = map2D(
            |window| map(
                |(kernel, bias)| bias + reduce(
                    0.0,
                    |acc, (x, w)| acc + x * w,
                    zip(join2D(window), join2D(kernel)),
                ),
                zip(kernels, biases),
            ),
            windows,
        );
        map3D(|x| max(x, 0.0), sums)
    }

    /// A batch with any stride, channels last, the activation inside.
    pub fn batch<N, K, C, H, W, S>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        biases: [f32; K],
        inputs: [[[[f32; C]; W]; H]; N],
    ) -> [[[[f32; K]; (W - 1 + S) / S]; (H - 1 + S) / S]; N] {
        map(
            |input| map2D(
                |window| map(
                    |(kernel, bias)| max(0.0, reduce(
                        bias,
                        |acc, (x, w)| acc + x * w,
                        zip(join(join(window)), join(join(kernel))),
                    )),
                    zip(kernels, biases),
                ),
                slide2D((3, 3), (S, S), pad2D(1, 1, 1, 1, 0.0, input)),
            ),
            inputs,
        )
    }

    /// Channels first: a window is a stack of small planes.
    pub fn channels_first<K, C, H, W>(
        const kernels: [[[[f32; 3]; 3]; C]; K],
        biases: [f32; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W]; H]; K] {
        let planes = map(|plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane)), input);
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

    /// Channels first: the sum of what each channel's plane gives.
    pub fn sum_of_planes<K, C, H, W>(
        const kernels: [[[[f32; 3]; 3]; C]; K],
        biases: [f32; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W]; H]; K] {
        let planes = map(|plane| slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, plane)), input);
        map(
            |(kernel, bias)| map2D(
                |x| x + bias,
                reduce(
                    repeat(H, repeat(W, 0.0)),
                    |acc, (plane, k)| map2D(
                        |(a, w)| a + reduce(0.0, |s, (x, y)| s + x * y, zip(join(w), join(k))),
                        zip2D(acc, plane),
                    ),
                    zip(planes, kernel),
                ),
            ),
            zip(kernels, biases),
        )
    }

    /// 5 × 5 kernels on a batch, channels first, the bias added afterwards.
    pub fn five_by_five<N, K, C, H, W>(
        const kernels: [[[[f32; 5]; 5]; C]; K],
        biases: [f32; K],
        inputs: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32; W]; H]; K]; N] {
        map(|input| {
            let planes = map(|plane| slide2D((5, 5), (1, 1), pad2D(2, 2, 2, 2, 0.0, plane)), input);
            let windows = map(transpose, transpose(planes));
            map(
                |(kernel, bias)| map2D(
                    |window| reduce(
                        0.0,
                        |acc, (x, w)| acc + x * w,
                        zip(join2D(window), join2D(kernel)),
                    ) + bias,
                    windows,
                ),
                zip(kernels, biases),
            )
        }, inputs)
    }

    /// 11 × 11 kernels in steps of 4, which need not reach the input's end.
    pub fn eleven_by_eleven<K, C, H, W>(
        const kernels: [[[[f32; C]; 11]; 11]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; (W - 7) / 4]; (H - 7) / 4]
    where
        H >= 11,
        W >= 11,
    {
        map2D(
            |window| map(
                |(kernel, bias)| max(reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join2D(window), join2D(kernel)),
                ), 0.0),
                zip(kernels, biases),
            ),
            slide2D((11, 11), (4, 4), input),
        )
    }

    /// Each position by itself.
    pub fn one_by_one<K, C, H, W>(
        const kernels: [[f32; C]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        map2D(
            |x| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), kernels),
            input,
        )
    }

    /// Each channel by itself.
    pub fn depthwise<C, H, W>(
        const kernels: [[[f32; C]; 3]; 3],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; C]; W]; H] {
        let by_channel = |window| map(transpose, transpose(map(transpose, window)));
        map2D(
            |window| map(
                |(plane, kernel)| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(plane), join(kernel))),
                zip(by_channel(window), by_channel(kernels)),
            ),
            slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, input)),
        )
    }

    /// Every other row and column of a window.
    pub fn dilated<K, C, H, W>(
        const kernels: [[[[f32; C]; 3]; 3]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - 4]; H - 4]
    where
        H >= 5,
        W >= 5,
    {
        let every_other = |span| map(|row| join(slide(1, 2, row)), join(slide(1, 2, span)));
        map2D(
            |span| map(
                |kernel| reduce(
                    0.0,
                    |acc, (x, w)| acc + x * w,
                    zip(join2D(every_other(span)), join2D(kernel)),
                ),
                kernels,
            ),
            slide2D((5, 5), (1, 1), input),
        )
    }

    /// G groups of channels that know nothing of each other.
    pub fn grouped<G, M, C, H, W>(
        const kernels: [[[[f32; 3]; 3]; C]; G * M],
        input: [[[f32; W]; H]; G * C],
    ) -> [[[f32; W - 2]; H - 2]; G * M]
    where
        H >= 3,
        W >= 3,
    {
        join(map(|(kernels, channels)| {
            let windows = map(transpose, transpose(map(|plane| slide2D((3, 3), (1, 1), plane), channels)));
            map(
                |kernel| map2D(
                    |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))),
                    windows,
                ),
                kernels,
            )
        }, zip(split(M, kernels), split(C, input))))
    }

    /// Output channels innermost in the weights, as TensorFlow has them; no padding.
    pub fn weights_across<K, C, H, W>(
        const kernels: [[[[f32; K]; C]; 3]; 3],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
    {
        let by_channel = transpose(map(transpose, map2D(transpose, kernels)));
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(by_channel, biases),
            ),
            slide2D((3, 3), (1, 1), input),
        )
    }
}
