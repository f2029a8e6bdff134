//! Convolutions of other kinds: by channel, in groups, dilated, transposed, of one and three dimensions.

use lift::prelude::*;

lift! {
    /// Each channel by itself, channels last.
    pub fn depthwise<KH, KW, C, H, W, S, P>(
        const kernels: [[[f32; C]; KW]; KH],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; C]; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        let by_channel = |window| transpose(join(window));
        map2D(
            |window| map(
                |(xs, kernel)| reduce(0.0, |acc, (x, w)| acc + x * w, zip(xs, kernel)),
                zip(by_channel(window), by_channel(kernels)),
            ),
            slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, input)),
        )
    }

    /// Each channel by itself, channels first.
    pub fn depthwise_first<C, KH, KW, H, W, S, P>(
        const kernels: [[[f32; KW]; KH]; C],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; (W + 2 * P - KW + S) / S]; (H + 2 * P - KH + S) / S]; C]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        let plane = |xs, kernel| map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
            slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, xs)),
        );
        map(|(xs, kernel)| plane(xs, kernel), zip(input, kernels))
    }

    /// G groups of channels that know nothing of each other, channels first.
    pub fn grouped<G, M, C, KH, KW, H, W, P>(
        const kernels: [[[[f32; KW]; KH]; C]; G * M],
        input: [[[f32; W]; H]; G * C],
    ) -> [[[f32; W + 2 * P - KW + 1]; H + 2 * P - KH + 1]; G * M]
    where
        P >= 0,
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        join(map(|(kernels, channels)| {
            let planes = map(|plane| slide2D((KH, KW), (1, 1), pad2D(P, P, P, P, 0.0, plane)), channels);
            let windows = map(transpose, transpose(planes));
            map(
                |kernel| map2D(
                    |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))),
                    windows,
                ),
                kernels,
            )
        }, zip(split(M, kernels), split(C, input))))
    }

    /// Of every window each D-th row and column, channels last.
    pub fn dilated<K, KH, KW, C, H, W, D, P>(
        const kernels: [[[[f32; C]; KW]; KH]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W + 2 * P - (KW - 1) * D]; H + 2 * P - (KH - 1) * D]
    where
        P >= 0,
        (KH - 1) * D + 1 <= H + 2 * P,
        (KW - 1) * D + 1 <= W + 2 * P,
    {
        let every = |span| map(|row| join(slide(1, D, row)), join(slide(1, D, span)));
        map2D(
            |span| map(
                |kernel| reduce(
                    0.0,
                    |acc, (x, w)| acc + x * w,
                    zip(join2D(every(span)), join2D(kernel)),
                ),
                kernels,
            ),
            slide2D(((KH - 1) * D + 1, (KW - 1) * D + 1), (1, 1), pad2D(P, P, P, P, 0.0, input)),
        )
    }

    /// Transposed, 2 × 2 windows that don't overlap: each position becomes four (U-Net's way up). Channels last.
    pub fn up<K, C, H, W>(
        const kernels: [[[[f32; C]; K]; 2]; 2],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; 2 * W]; 2 * H] {
        let pixel = |x, row| map(
            |matrix| map(|kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(x, kernel)), matrix),
            row,
        );
        join(map(
            |xs| map(|row| join(map(|x| pixel(x, row), xs)), kernels),
            input,
        ))
    }

    /// Transposed, 4 × 4 windows, stride 2, padding 1 (a generator's): zeros between the elements, and a convolution
    /// with the kernels turned around. Channels last.
    pub fn transposed<K, C, H, W>(
        const kernels: [[[[f32; C]; 4]; 4]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; 2 * W]; 2 * H] {
        let spread = |row| join(map(|x| pad(0, 1, 0.0, x), split(1, row)));
        let spaced = join(map(|rows| pad(0, 1, 0.0, rows), split(1, map(spread, input))));
        map2D(
            |window| map(
                |kernel| reduce(
                    0.0,
                    |acc, (x, w)| acc + x * w,
                    zip(join2D(window), join2D(reverse(map(reverse, kernel)))),
                ),
                kernels,
            ),
            slide2D((4, 4), (1, 1), pad2D(2, 1, 2, 1, 0.0, spaced)),
        )
    }

    /// One dimension: sound. Channels last.
    pub fn conv1d<K, T, C, N, S, P>(
        const kernels: [[[f32; C]; T]; K],
        input: [[f32; C]; N],
    ) -> [[f32; K]; (N + 2 * P - T + S) / S]
    where
        P >= 0,
        T <= N + 2 * P,
    {
        map(
            |window| map(
                |kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(kernel))),
                kernels,
            ),
            slide(T, S, pad(P, P, 0.0, input)),
        )
    }

    /// Three dimensions: moving pictures. 3 × 3 × 3 windows, padding 1, channels last.
    pub fn conv3d<K, C, D, H, W>(
        const kernels: [[[[[f32; C]; 3]; 3]; 3]; K],
        input: [[[[f32; C]; W]; H]; D],
    ) -> [[[[f32; K]; W]; H]; D] {
        map3D(
            |window| map(
                |kernel| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join3D(window), join3D(kernel))),
                kernels,
            ),
            slide3D((3, 3, 3), (1, 1, 1), pad3D(1, 1, 1, 1, 1, 1, 0.0, input)),
        )
    }
}
