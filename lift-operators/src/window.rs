//! What windows are moved over: convolutions and pooling of two dimensions, channels first: an array is
//! `[[[[f32; W]; H]; C]; N]`.
//!
//! Everywhere `SH` and `SW` are how far windows move, `DH` and `DW` how far apart the elements of a window are,
//! and `PT`, `PL`, `PB` and `PR` the padding at the top, on the left, at the bottom and on the right. What has one
//! dimension is an image of one row.
//!
//! ```
//! use lift::prelude::*;
//! use lift_operators::window;
//!
//! let (kernels, x) = (Array4::<f32>::ones((8, 3, 3, 3)), Array4::<f32>::ones((1, 3, 16, 16)));
//! // Strides 2, dilations 1, padding 1.
//! let y = window::conv(&Device::cpu(), 2, 2, 1, 1, 1, 1, 1, 1, kernels.view(), x.view())?;
//! assert_eq!((y.dim(), y[[0, 0, 0, 0]], y[[0, 0, 1, 1]]), ((1, 8, 8, 8), 12.0, 27.0));
//! # Ok::<(), lift::Error>(())
//! ```

use lift::lift;

lift! {
    /// The windows of a plane.
    fn windows<KH, KW, H, W, SH, SW, DH, DW>(
        plane: [[f32; W]; H],
    ) -> [[[[f32; KW]; KH]; (W - (KW - 1) * DW - 1) / SW + 1]; (H - (KH - 1) * DH - 1) / SH + 1]
    where
        (KH - 1) * DH + 1 <= H,
        (KW - 1) * DW + 1 <= W,
    {
        let every = |span| map(|row| join(slide(1, DW, row)), join(slide(1, DH, span)));
        map2D(every, slide2D(((KH - 1) * DH + 1, (KW - 1) * DW + 1), (SH, SW), plane))
    }

    /// The convolution of one image.
    fn convolved<K, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        kernels: [[[[f32; KW]; KH]; C]; K],
        channels: [[[f32; W]; H]; C],
    ) -> [[[f32; (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; K]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        let planes = map(|plane| windows(pad2D(PL, PR, PT, PB, 0.0, plane)), channels);
        let windows = map(transpose, transpose(planes));
        map(
            |kernel| map2D(
                |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel))),
                windows,
            ),
            kernels,
        )
    }

    /// A convolution, without a bias.
    pub fn conv<N, K, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        const kernels: [[[[f32; KW]; KH]; C]; K],
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; K]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        map(|channels| convolved(kernels, channels), x)
    }

    /// `G` groups of channels that know nothing of each other, with `M` kernels each.
    pub fn conv_grouped<N, G, M, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        const kernels: [[[[f32; KW]; KH]; C]; G * M],
        x: [[[[f32; W]; H]; G * C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; G * M];
        N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        map(
            |channels| join(map(
                |(kernels, channels)| convolved(kernels, channels),
                zip(split(M, kernels), split(C, channels)),
            )),
            x,
        )
    }

    /// Each channel by itself, with one kernel.
    pub fn conv_depthwise<N, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        const kernels: [[[[f32; KW]; KH]; 1]; C],
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; C]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        let channel = |kernel, plane| map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join2D(kernel))),
            windows(pad2D(PL, PR, PT, PB, 0.0, plane)),
        );
        map(|channels| map(|(kernel, plane)| channel(kernel, plane), zip(kernels, channels)), x)
    }

    /// The transposed convolution of one image: zeros between the elements, and a convolution with the kernels turned
    /// around.
    fn spread_out<K, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR, OPH, OPW>(
        kernels: [[[[f32; KW]; KH]; K]; C],
        channels: [[[f32; W]; H]; C],
    ) -> [[[f32;
        (W - 1) * SW + (KW - 1) * DW + 1 + OPW - PL - PR];
        (H - 1) * SH + (KH - 1) * DH + 1 + OPH - PT - PB]; K]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        OPH >= 0,
        OPW >= 0,
        PT + PB <= (H - 1) * SH + (KH - 1) * DH + OPH,
        PL + PR <= (W - 1) * SW + (KW - 1) * DW + OPW,
        PT <= H * SH + (KH - 1) * DH,
        PL <= W * SW + (KW - 1) * DW,
        PB + SH <= H * SH + (KH - 1) * DH + OPH + 1,
        PR + SW <= W * SW + (KW - 1) * DW + OPW + 1,
    {
        let spaced = |plane| {
            let rows = map(|row| join(map(|x| pad(0, SW - 1, 0.0, x), split(1, row))), plane);
            let spaced = join(map(|rows| pad(0, SH - 1, 0.0, rows), split(1, rows)));
            let padded = pad2D(
                (KW - 1) * DW - PL,
                (KW - 1) * DW - PR + OPW - (SW - 1),
                (KH - 1) * DH - PT,
                (KH - 1) * DH - PB + OPH - (SH - 1),
                0.0,
                spaced,
            );
            windows::<_, _, _, _, 1, 1, _, _>(padded)
        };
        let windows = map(transpose, transpose(map(spaced, channels)));
        map(
            |kernel| {
                let turned = map(|plane| reverse(map(reverse, plane)), kernel);
                map2D(
                    |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(turned))),
                    windows,
                )
            },
            transpose(kernels),
        )
    }

    /// A transposed convolution, without a bias: what a convolution with these strides, dilations and paddings would make
    /// `x` of. `OPH` and `OPW` are rows and columns more at the bottom and on the right.
    pub fn conv_transposed<N, K, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR, OPH, OPW>(
        const kernels: [[[[f32; KW]; KH]; K]; C],
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W - 1) * SW + (KW - 1) * DW + 1 + OPW - PL - PR];
        (H - 1) * SH + (KH - 1) * DH + 1 + OPH - PT - PB]; K]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        OPH >= 0,
        OPW >= 0,
        PT + PB <= (H - 1) * SH + (KH - 1) * DH + OPH,
        PL + PR <= (W - 1) * SW + (KW - 1) * DW + OPW,
        PT <= H * SH + (KH - 1) * DH,
        PL <= W * SW + (KW - 1) * DW,
        PB + SH <= H * SH + (KH - 1) * DH + OPH + 1,
        PR + SW <= W * SW + (KW - 1) * DW + OPW + 1,
    {
        map(|channels| spread_out(kernels, channels), x)
    }

    /// The same in `G` groups of channels that know nothing of each other.
    pub fn conv_transposed_grouped<N, G, M, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR, OPH, OPW>(
        const kernels: [[[[f32; KW]; KH]; M]; G * C],
        x: [[[[f32; W]; H]; G * C]; N],
    ) -> [[[[f32;
        (W - 1) * SW + (KW - 1) * DW + 1 + OPW - PL - PR];
        (H - 1) * SH + (KH - 1) * DH + 1 + OPH - PT - PB]; G * M]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        OPH >= 0,
        OPW >= 0,
        PT + PB <= (H - 1) * SH + (KH - 1) * DH + OPH,
        PL + PR <= (W - 1) * SW + (KW - 1) * DW + OPW,
        PT <= H * SH + (KH - 1) * DH,
        PL <= W * SW + (KW - 1) * DW,
        PB + SH <= H * SH + (KH - 1) * DH + OPH + 1,
        PR + SW <= W * SW + (KW - 1) * DW + OPW + 1,
    {
        map(
            |channels| join(map(
                |(kernels, channels)| spread_out(kernels, channels),
                zip(split(C, kernels), split(C, channels)),
            )),
            x,
        )
    }

    /// The largest of each window. Padding is smaller than everything.
    pub fn max_pool<N, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; C]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        map2D(
            |plane| map2D(
                |window| reduce(f32::NEG_INFINITY, max, join(window)),
                windows(pad2D(PL, PR, PT, PB, f32::NEG_INFINITY, plane)),
            ),
            x,
        )
    }

    /// For each window how many of its elements are inside, where `P` elements are left out at the start and `Q` at the end.
    fn inside<K, N, S, D, P, Q>() -> [f32; (N + P + Q - (K - 1) * D - 1) / S + 1]
    where
        P >= 0,
        Q >= 0,
        (K - 1) * D + 1 <= N + P + Q,
    {
        generate(
            (N + P + Q - (K - 1) * D - 1) / S + 1,
            |i| (
                min(max((P + N - i * S + D - 1) / D, 0), K) - min(max((P - i * S + D - 1) / D, 0), K)
            ) as f32,
        )
    }

    /// The mean of each window, of elements that are inside: padding does not count. A window that has none gives NaN.
    pub fn average_pool<N, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; C]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        let columns = inside::<KW, W, SW, DW, PL, PR>();
        let counts = map(|m| map(|n| m * n, columns), inside::<KH, H, SH, DH, PT, PB>());
        map2D(
            |plane| map2D(
                |(window, count)| reduce(0.0, |acc, x| acc + x, join(window)) / count,
                zip2D(windows(pad2D(PL, PR, PT, PB, 0.0, plane)), counts),
            ),
            x,
        )
    }

    /// The mean of each window, where the zeros of the padding count. `EB` and `ER` are rows and columns further out, at the
    /// bottom and on the right, that do not count: what is added so that the last window, which would be cut off, is whole.
    pub fn average_pool_padded<N, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR, EB, ER>(
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR + ER - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB + EB - (KH - 1) * DH - 1) / SH + 1];
        C]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        EB >= 0,
        ER >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB + EB,
        (KW - 1) * DW + 1 <= W + PL + PR + ER,
    {
        let columns = inside::<KW, { W + PL + PR }, SW, DW, 0, ER>();
        let counts = map(|m| map(|n| m * n, columns), inside::<KH, { H + PT + PB }, SH, DH, 0, EB>());
        map2D(
            |plane| map2D(
                |(window, count)| reduce(0.0, |acc, x| acc + x, join(window)) / count,
                zip2D(windows(pad2D(PL, PR + ER, PT, PB + EB, 0.0, plane)), counts),
            ),
            x,
        )
    }

    /// The `p`-norm of each window.
    pub fn lp_pool<N, C, KH, KW, H, W, SH, SW, DH, DW, PT, PL, PB, PR>(
        p: f32,
        x: [[[[f32; W]; H]; C]; N],
    ) -> [[[[f32;
        (W + PL + PR - (KW - 1) * DW - 1) / SW + 1]; (H + PT + PB - (KH - 1) * DH - 1) / SH + 1]; C]; N]
    where
        PT >= 0,
        PL >= 0,
        PB >= 0,
        PR >= 0,
        (KH - 1) * DH + 1 <= H + PT + PB,
        (KW - 1) * DW + 1 <= W + PL + PR,
    {
        map2D(
            |plane| map2D(
                |window| pow(reduce(0.0, |acc, x| acc + pow(abs(x), p), join(window)), 1.0 / p),
                windows(pad2D(PL, PR, PT, PB, 0.0, plane)),
            ),
            x,
        )
    }
}
