//! Programs about tiles, strides, dilation and pooling with symbolic parameters, as users write them: with the
//! clauses that say what is meant, and no more. What some of them compute another one says without tiles.

// Each test binary uses its own part of this.
#![allow(dead_code)]

use lift::Program;
use lift::prelude::*;

type Maker = fn() -> &'static Program;

/// Programs, each with one that computes the same.
pub const PAIRS: &[(Maker, Maker)] = &[
    (conv_1d_tiles::program, conv_1d::program),
    (conv_1d_rounded_up::program, conv_1d::program),
    (conv_1d_split_windows::program, conv_1d::program),
    (conv_1d_nested_tiles::program, conv_1d::program),
    (conv_1d_padded_tiles::program, conv_1d_padded::program),
    (conv_2d_tiles::program, conv_2d::program),
    (conv_2d_tiles_uneven_stride::program, conv_2d::program),
    (conv_2d_split_windows::program, conv_2d::program),
    (pool_ceil::program, pool_ceil_by_remainder::program),
    (block_maxima::program, block_maxima_by_remainder::program),
    (box_filter_separated::program, box_filter::program),
    (box_filter_tiles::program, box_filter::program),
    (dilated_phases::program, dilated_1d::program),
    (dilated_tiles::program, dilated_strided::program),
    (causal_tiles::program, causal::program),
    (slice_by_index::program, slice::program),
    (shuffled_by_index::program, shuffled::program),
    (nested_tiles_outside_in::program, nested_tiles::program),
];

lift! {
    fn dot_product<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, ys))
    }
    fn sum<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    // One dimension: a strided convolution, in tiles of several kinds.

    pub fn conv_1d<N, K, S>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K) / S + 1] where K <= N {
        map(|window| dot_product(window, kernel), slide(K, S, xs))
    }

    /// The tiles cover the outputs exactly; the stride may leave elements over.
    pub fn conv_1d_tiles<N, K, S, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K) / S + 1]
    where
        K <= N,
        ((N - K) / S + 1) % T == 0,
    {
        let tiles = slide((T - 1) * S + K, T * S, xs);
        join(map(|tile| map(|window| dot_product(window, kernel), slide(K, S, tile)), tiles))
    }

    /// Whole tiles only: what is left over is not computed.
    pub fn conv_1d_whole_tiles<N, K, S, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; ((N - K) / S + 1) / T * T]
    where
        (T - 1) * S + K <= N,
    {
        let tiles = slide((T - 1) * S + K, T * S, xs);
        join(map(|tile| map(|window| dot_product(window, kernel), slide(K, S, tile)), tiles))
    }

    /// The last tile is filled up with zeros, and what is too much thrown away.
    pub fn conv_1d_rounded_up<N, K, S, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K) / S + 1]
    where
        K <= N,
    {
        let tiles = slide(
            (T - 1) * S + K,
            T * S,
            pad(0, (((N - K) / S + T) / T * T - 1) * S + K - N, 0.0, xs),
        );
        take((N - K) / S + 1, join(map(|tile| map(|window| dot_product(window, kernel), slide(K, S, tile)), tiles)))
    }

    pub fn conv_1d_padded<N, K, S, P>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N + 2 * P - K) / S + 1]
    where
        K <= N + 2 * P,
    {
        map(|window| dot_product(window, kernel), slide(K, S, pad(P, P, 0.0, xs)))
    }

    pub fn conv_1d_padded_tiles<N, K, S, P, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N + 2 * P - K) / S + 1]
    where
        K <= N + 2 * P,
        ((N + 2 * P - K) / S + 1) % T == 0,
    {
        let tiles = slide((T - 1) * S + K, T * S, pad(P, P, 0.0, xs));
        join(map(|tile| map(|window| dot_product(window, kernel), slide(K, S, tile)), tiles))
    }

    /// Windows in tiles, instead of windows of tiles.
    pub fn conv_1d_split_windows<N, K, S, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K) / S + 1]
    where
        K <= N,
        ((N - K) / S + 1) % T == 0,
    {
        join(map(|windows| map(|window| dot_product(window, kernel), windows), split(T, slide(K, S, xs))))
    }

    /// Tiles of tiles.
    pub fn conv_1d_nested_tiles<N, K, S, T, U>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K) / S + 1]
    where
        K <= N,
        ((N - K) / S + 1) % (T * U) == 0,
    {
        let groups = slide((T * U - 1) * S + K, T * U * S, xs);
        join(map(
            |group| {
                let tiles = slide((T - 1) * S + K, T * S, group);
                join(map(|tile| map(|window| dot_product(window, kernel), slide(K, S, tile)), tiles))
            },
            groups,
        ))
    }

    // Two dimensions: strided, padded, in tiles of T x U results.

    pub fn conv_2d<H, W, KH, KW, S, P>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; (W + 2 * P - KW) / S + 1]; (H + 2 * P - KH) / S + 1]
    where
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        map2D(
            |window| dot_product(join(window), join(kernel)),
            slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, image)),
        )
    }

    pub fn conv_2d_tiles<H, W, KH, KW, S, P, T, U>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; (W + 2 * P - KW) / S + 1]; (H + 2 * P - KH) / S + 1]
    where
        KH <= H + 2 * P,
        KW <= W + 2 * P,
        (H + 2 * P - KH) % S == 0,
        (W + 2 * P - KW) % S == 0,
        ((H + 2 * P - KH) / S + 1) % T == 0,
        ((W + 2 * P - KW) / S + 1) % U == 0,
    {
        let padded = pad2D(P, P, P, P, 0.0, image);
        let tiles = slide2D(((T - 1) * S + KH, (U - 1) * S + KW), (T * S, U * S), padded);
        untile2D(map2D(
            |tile| map2D(|window| dot_product(join(window), join(kernel)), slide2D((KH, KW), (S, S), tile)),
            tiles,
        ))
    }

    pub fn conv_2d_tiles_uneven_stride<H, W, KH, KW, S, P, T, U>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; (W + 2 * P - KW) / S + 1]; (H + 2 * P - KH) / S + 1]
    where
        KH <= H + 2 * P,
        KW <= W + 2 * P,
        ((H + 2 * P - KH) / S + 1) % T == 0,
        ((W + 2 * P - KW) / S + 1) % U == 0,
    {
        let padded = pad2D(P, P, P, P, 0.0, image);
        let tiles = slide2D(((T - 1) * S + KH, (U - 1) * S + KW), (T * S, U * S), padded);
        untile2D(map2D(
            |tile| map2D(|window| dot_product(join(window), join(kernel)), slide2D((KH, KW), (S, S), tile)),
            tiles,
        ))
    }

    pub fn conv_2d_split_windows<H, W, KH, KW, S, P, T, U>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; (W + 2 * P - KW) / S + 1]; (H + 2 * P - KH) / S + 1]
    where
        KH <= H + 2 * P,
        KW <= W + 2 * P,
        ((H + 2 * P - KH) / S + 1) % T == 0,
        ((W + 2 * P - KW) / S + 1) % U == 0,
    {
        let windows = slide2D((KH, KW), (S, S), pad2D(P, P, P, P, 0.0, image));
        untile2D(map2D(
            |tile| map2D(|window| dot_product(join(window), join(kernel)), tile),
            split2D((T, U), windows),
        ))
    }

    /// Tiles that are larger than what is left of the image read zeros there.
    pub fn conv_2d_rounded_up<H, W, KH, KW, T, U>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; W - KW + 1]; H - KH + 1]
    where
        KH <= H,
        KW <= W,
    {
        let down = (H - KH + T) / T * T - (H - KH + 1);
        let right = (W - KW + U) / U * U - (W - KW + 1);
        let tiles = slide2D((T + KH - 1, U + KW - 1), (T, U), pad2D(0, right, 0, down, 0.0, image));
        let results = untile2D(map2D(
            |tile| map2D(|window| dot_product(join(window), join(kernel)), slide2D((KH, KW), (1, 1), tile)),
            tiles,
        ));
        map(|row| take(W - KW + 1, row), take(H - KH + 1, results))
    }
}

lift! {
    fn largest<N>(xs: [f32; N]) -> f32 {
        reduce(f32::NEG_INFINITY, max, xs)
    }
    fn total<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    // Pooling.

    /// The last window may hang over the end.
    pub fn pool_ceil<N, K, S>(xs: [f32; N]) -> [f32; (N - K + S - 1) / S + 1] where K <= N {
        let over = (N - K + S - 1) / S * S + K - N;
        map(|window| largest(window), slide(K, S, pad(0, over, f32::NEG_INFINITY, xs)))
    }

    pub fn pool_ceil_by_remainder<N, K, S>(xs: [f32; N]) -> [f32; (N - K + S - 1) / S + 1] where K <= N {
        let over = (S - (N - K) % S) % S;
        map(|window| largest(window), slide(K, S, pad(0, over, f32::NEG_INFINITY, xs)))
    }

    pub fn pool_ceil_2d<H, W, K, S>(image: [[f32; W]; H]) -> [[f32; (W - K + S - 1) / S + 1]; (H - K + S - 1) / S + 1]
    where
        K <= H,
        K <= W,
    {
        let right = (W - K + S - 1) / S * S + K - W;
        let down = (H - K + S - 1) / S * S + K - H;
        let padded = pad2D(0, right, 0, down, f32::NEG_INFINITY, image);
        map2D(|window| largest(join(window)), slide2D((K, K), (S, S), padded))
    }

    /// As many results as the stride leaves.
    pub fn pool_same<N, K, S>(xs: [f32; N]) -> [f32; (N + S - 1) / S] where S <= K {
        let amount = ((N + S - 1) / S - 1) * S + K - N;
        map(|window| total(window), slide(K, S, pad(amount / 2, amount - amount / 2, 0.0, xs)))
    }

    pub fn conv_same<N, K>(kernel: [f32; K], xs: [f32; N]) -> [f32; N] {
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, kernel)),
            slide(K, 1, pad((K - 1) / 2, K / 2, 0.0, xs)),
        )
    }

    pub fn pool_same_2d<H, W, K, S>(image: [[f32; W]; H]) -> [[f32; (W + S - 1) / S]; (H + S - 1) / S] where S <= K {
        let wide = ((W + S - 1) / S - 1) * S + K - W;
        let high = ((H + S - 1) / S - 1) * S + K - H;
        let padded = pad2D(wide / 2, wide - wide / 2, high / 2, high - high / 2, 0.0, image);
        map2D(|window| total(join(window)), slide2D((K, K), (S, S), padded))
    }

    /// Windows of one size that fit `O` times: "adaptive" pooling.
    pub fn pool_adaptive<N, O>(xs: [f32; N]) -> [f32; O] where O <= N {
        map(|window| largest(window), slide(N - (O - 1) * (N / O), N / O, xs))
    }

    pub fn pool_blocks<H, W, A, B>(image: [[f32; W]; H]) -> [[f32; W / B]; H / A] where H % A == 0, W % B == 0 {
        map2D(|block| total(join(block)) / (A * B) as f32, split2D((A, B), image))
    }

    pub fn pool_twice<N, K>(xs: [f32; N]) -> [f32; N / K / K] where N % (K * K) == 0 {
        let once = map(|block| largest(block), split(K, xs));
        map(|block| largest(block), split(K, once))
    }

    pub fn pyramid<H, W, S>(image: [[f32; W]; H]) -> [[f32; W / (S * S)]; H / (S * S)]
    where
        H % (S * S) == 0,
        W % (S * S) == 0,
    {
        let once = map2D(|block| total(join(block)), split2D((S, S), image));
        map2D(|block| total(join(block)), split2D((S, S), once))
    }

    /// What is left over is filled up.
    pub fn block_maxima<N, T>(xs: [f32; N]) -> [f32; (N + T - 1) / T] {
        map(|block| largest(block), split(T, pad(0, (N + T - 1) / T * T - N, f32::NEG_INFINITY, xs)))
    }

    pub fn block_maxima_by_remainder<N, T>(xs: [f32; N]) -> [f32; (N + T - 1) / T] {
        map(|block| largest(block), split(T, pad(0, (T - N % T) % T, f32::NEG_INFINITY, xs)))
    }

    /// Sums of blocks of blocks.
    pub fn sum_of_blocks<N, A, B>(xs: [f32; N]) -> [f32; N / (A * B)] where N % (A * B) == 0 {
        map(|block| total(map(|part| total(part), split(A, block))), split(A * B, xs))
    }

    pub fn box_filter<H, W, R>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let windows = slide2D((2 * R + 1, 2 * R + 1), (1, 1), padClamp2D(R, R, R, R, image));
        map2D(|window| total(join(window)) / ((2 * R + 1) * (2 * R + 1)) as f32, windows)
    }

    pub fn box_filter_separated<H, W, R>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let rows = map(|row| map(|window| total(window), slide(2 * R + 1, 1, padClamp(R, R, row))), image);
        let columns = transpose(rows);
        let sums = map(|column| map(|window| total(window), slide(2 * R + 1, 1, padClamp(R, R, column))), columns);
        map2D(|x| x / ((2 * R + 1) * (2 * R + 1)) as f32, transpose(sums))
    }

    pub fn box_filter_tiles<H, W, R, T, U>(image: [[f32; W]; H]) -> [[f32; W]; H] where H % T == 0, W % U == 0 {
        let tiles = slide2D((T + 2 * R, U + 2 * R), (T, U), padClamp2D(R, R, R, R, image));
        untile2D(map2D(
            |tile| map2D(
                |window| total(join(window)) / ((2 * R + 1) * (2 * R + 1)) as f32,
                slide2D((2 * R + 1, 2 * R + 1), (1, 1), tile),
            ),
            tiles,
        ))
    }

    /// Each worker has its part, and `R` of each neighbour's.
    pub fn box_filter_parts<N, B, R>(xs: [f32; N]) -> [f32; N] where N % B == 0 {
        let parts = slide(N / B + 2 * R, N / B, padClamp(R, R, xs));
        join(map(|part| map(|window| total(window), slide(2 * R + 1, 1, part)), parts))
    }

    // Dilation.

    pub fn dilated_1d<N, K, D>(kernel: [f32; K], xs: [f32; N]) -> [f32; N - D * (K - 1)] where D * (K - 1) < N {
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(slide(1, D, window)), kernel)),
            slide(D * (K - 1) + 1, 1, xs),
        )
    }

    pub fn dilated_strided<N, K, D, S, P>(
        kernel: [f32; K],
        xs: [f32; N],
    ) -> [f32; (N + 2 * P - D * (K - 1) - 1) / S + 1]
    where
        D * (K - 1) < N + 2 * P,
    {
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(slide(1, D, window)), kernel)),
            slide(D * (K - 1) + 1, S, pad(P, P, 0.0, xs)),
        )
    }

    pub fn dilated_tiles<N, K, D, S, P, T>(
        kernel: [f32; K],
        xs: [f32; N],
    ) -> [f32; (N + 2 * P - D * (K - 1) - 1) / S + 1]
    where
        D * (K - 1) < N + 2 * P,
        ((N + 2 * P - D * (K - 1) - 1) / S + 1) % T == 0,
    {
        let tiles = slide((T - 1) * S + D * (K - 1) + 1, T * S, pad(P, P, 0.0, xs));
        join(map(
            |tile| map(
                |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(slide(1, D, window)), kernel)),
                slide(D * (K - 1) + 1, S, tile),
            ),
            tiles,
        ))
    }

    /// Each phase by itself.
    pub fn dilated_phases<N, K, D>(kernel: [f32; K], xs: [f32; N]) -> [f32; N - D * (K - 1)]
    where
        N % D == 0,
        K <= N / D,
    {
        let phases = transpose(split(D, xs));
        let results = map(
            |phase| map(
                |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, kernel)),
                slide(K, 1, phase),
            ),
            phases,
        );
        join(transpose(results))
    }

    pub fn causal<N, K, D>(kernel: [f32; K], xs: [f32; N]) -> [f32; N] {
        map(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(slide(1, D, window)), kernel)),
            slide(D * (K - 1) + 1, 1, pad(D * (K - 1), 0, 0.0, xs)),
        )
    }

    pub fn causal_tiles<N, K, D, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; N] where N % T == 0 {
        let tiles = slide(T + D * (K - 1), T, pad(D * (K - 1), 0, 0.0, xs));
        join(map(
            |tile| map(
                |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(slide(1, D, window)), kernel)),
                slide(D * (K - 1) + 1, 1, tile),
            ),
            tiles,
        ))
    }

    pub fn dilated_2d<H, W, KH, KW, D, S>(
        kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; (W - D * (KW - 1) - 1) / S + 1]; (H - D * (KH - 1) - 1) / S + 1]
    where
        D * (KH - 1) < H,
        D * (KW - 1) < W,
    {
        map2D(
            |window| {
                let taps = join2D(slide2D((1, 1), (D, D), window));
                reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(taps), join(kernel)))
            },
            slide2D((D * (KH - 1) + 1, D * (KW - 1) + 1), (S, S), image),
        )
    }
}

lift! {
    fn weighted<N>(xs: [f32; N], ys: [f32; N]) -> f32 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, ys))
    }

    // Upsampling and transposed convolutions.

    pub fn spread<N, S>(xs: [f32; N]) -> [f32; (N - 1) * S + 1] {
        take((N - 1) * S + 1, join(map(|x| pad(0, S - 1, 0.0, x), split(1, xs))))
    }

    pub fn nearest<H, W, S>(image: [[f32; W]; H]) -> [[f32; W * S]; H * S] {
        let wide = map(|row| join(map(|x| repeat(S, x), row)), image);
        join(map(|row| repeat(S, row), wide))
    }

    pub fn nearest_by_index<N, S>(xs: [f32; N]) -> [f32; N * S] {
        reorder(|i| i / S + i % S * N, join(repeat(S, xs)))
    }

    pub fn transposed_padded<N, K, S, P>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - 1) * S + K - 2 * P]
    where
        P < K,
        2 * P < (N - 1) * S + K,
    {
        let spread = take((N - 1) * S + 1, join(map(|x| pad(0, S - 1, 0.0, x), split(1, xs))));
        map(
            |window| weighted(window, reverse(kernel)),
            slide(K, 1, pad(K - 1 - P, K - 1 - P, 0.0, spread)),
        )
    }

    pub fn transposed_output_padding<N, K, S, P, A>(
        kernel: [f32; K],
        xs: [f32; N],
    ) -> [f32; (N - 1) * S + K + A - 2 * P]
    where
        P < K,
        2 * P < (N - 1) * S + K + A,
    {
        let spread = take((N - 1) * S + 1, join(map(|x| pad(0, S - 1, 0.0, x), split(1, xs))));
        map(
            |window| weighted(window, reverse(kernel)),
            slide(K, 1, pad(K - 1 - P, K - 1 - P + A, 0.0, spread)),
        )
    }

    /// A convolution's size comes back.
    pub fn transposed_back<N, K, S, P>(kernel: [f32; K], xs: [f32; (N + 2 * P - K) / S + 1]) -> [f32; N]
    where
        K <= N + 2 * P,
        P < K,
        (N + 2 * P - K) % S == 0,
    {
        let spread = take(
            (N + 2 * P - K) / S * S + 1,
            join(map(|x| pad(0, S - 1, 0.0, x), split(1, xs))),
        );
        map(
            |window| weighted(window, reverse(kernel)),
            slide(K, 1, pad(K - 1 - P, K - 1 - P, 0.0, spread)),
        )
    }

    // Slices.

    pub fn every_nth<N, A, S>(xs: [f32; N]) -> [f32; (N - A + S - 1) / S] where A < N {
        join(slide(1, S, drop(A, xs)))
    }

    pub fn slice<N, A, B, S>(xs: [f32; N]) -> [f32; (B - A + S - 1) / S] where A < B, B <= N {
        join(slide(1, S, take(B - A, drop(A, xs))))
    }

    pub fn slice_by_index<N, A, B, S>(xs: [f32; N]) -> [f32; (B - A + S - 1) / S] where A < B, B <= N {
        let positions = generate((B - A + S - 1) / S, |i| (A + i * S) as f32);
        map(|(x, p)| x + p * 0.0, zip(join(slide(1, S, take(B - A, drop(A, xs)))), positions))
    }

    pub fn centre<H, W, T>(image: [[f32; W]; H]) -> [[f32; T]; T] where T <= H, T <= W {
        map(|row| take(T, drop((W - T) / 2, row)), take(T, drop((H - T) / 2, image)))
    }

    pub fn phases<N, S>(xs: [f32; N]) -> [[f32; N / S]; S] where N % S == 0 {
        transpose(split(S, xs))
    }

    pub fn deinterleaved<N>(xs: [f32; N]) -> ([f32; (N + 1) / 2], [f32; N / 2]) where N >= 2 {
        (join(slide(1, 2, xs)), join(slide(1, 2, drop(1, xs))))
    }

    pub fn whole_blocks<N, T>(xs: [f32; N]) -> [[f32; T]; N / T] where T <= N {
        split(T, take(N / T * T, xs))
    }

    pub fn whole_blocks_and_rest<N, T>(xs: [f32; N]) -> [f32; N] where T <= N {
        let blocks = join(split(T, take(N / T * T, xs)));
        concat(blocks, drop(N / T * T, xs))
    }

    // Channels.

    pub fn grouped<M, C, G, N, K>(
        weights: [[[f32; K]; C / G]; M],
        input: [[f32; N]; C],
    ) -> [[f32; N - K + 1]; M]
    where
        K <= N,
        C % G == 0,
        M % G == 0,
    {
        let groups = zip(split(C / G, input), split(M / G, weights));
        join(map(
            |(channels, kernels)| {
                let windows = slide(K, 1, transpose(channels));
                map(|kernel| map(|window| weighted(join(transpose(window)), join(kernel)), windows), kernels)
            },
            groups,
        ))
    }

    pub fn shuffled<C, G, N>(input: [[f32; N]; C]) -> [[f32; N]; C] where C % G == 0 {
        join(transpose(split(C / G, input)))
    }

    pub fn shuffled_by_index<C, G, N>(input: [[f32; N]; C]) -> [[f32; N]; C] where C % G == 0 {
        reorder(|c| c % G * (C / G) + c / G, input)
    }

    pub fn channel_blocks<C, V, H, W>(input: [[[f32; W]; H]; C]) -> [[[[f32; V]; W]; H]; C / V] where C % V == 0 {
        map(|block| map(|rows| transpose(rows), transpose(block)), split(V, input))
    }

    pub fn grouped_blocks<C, G, V, N>(input: [[f32; N]; C]) -> [[f32; N]; C] where C % (G * V) == 0 {
        join(map(|group| join(split(V, group)), split(C / G, input)))
    }

    pub fn depth_to_space<C, H, W, R>(input: [[[f32; W]; H]; C]) -> [[[f32; W * R]; H * R]; C / (R * R)]
    where
        C % (R * R) == 0,
    {
        map(
            |planes| untile2D(map2D(|pixels| split(R, pixels), map(|rows| transpose(rows), transpose(planes)))),
            split(R * R, input),
        )
    }

    pub fn space_to_depth<C, H, W, R>(input: [[[f32; W]; H]; C]) -> [[[f32; W / R]; H / R]; C * (R * R)]
    where
        H % R == 0,
        W % R == 0,
    {
        join(map(
            |plane| {
                let pixels = map2D(|tile| join(tile), split2D((R, R), plane));
                transpose(map(|row| transpose(row), pixels))
            },
            input,
        ))
    }

    // Windows as columns, unfolding and folding.

    pub fn im2col<C, H, W, KH, KW, S>(
        input: [[[f32; C]; W]; H],
    ) -> [[f32; KH * KW * C]; ((H - KH) / S + 1) * ((W - KW) / S + 1)]
    where
        KH <= H,
        KW <= W,
    {
        map(|window| join2D(window), join(slide2D((KH, KW), (S, S), input)))
    }

    pub fn conv_by_product<C, H, W, KH, KW, S, M>(
        weights: [[[[f32; C]; KW]; KH]; M],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; M]; (W - KW) / S + 1]; (H - KH) / S + 1]
    where
        KH <= H,
        KW <= W,
    {
        let columns = map(|window| join2D(window), join(slide2D((KH, KW), (S, S), input)));
        let rows = map(|kernel| join2D(kernel), weights);
        split((W - KW) / S + 1, map(|column| map(|row| weighted(column, row), rows), columns))
    }

    pub fn product_tiles<M, N, L, A, B, T>(xs: [[f32; L]; M], ys: [[f32; N]; L]) -> [[f32; N]; M]
    where
        M % A == 0,
        N % B == 0,
        L % T == 0,
    {
        untile2D(map(
            |rows| map(
                |columns| map(
                    |row| map(
                        |column| reduce(
                            0.0,
                            |acc, (p, q)| acc + weighted(p, q),
                            zip(split(T, row), split(T, column)),
                        ),
                        columns,
                    ),
                    rows,
                ),
                split(B, transpose(ys)),
            ),
            split(A, xs),
        ))
    }

    /// Overlapping frames, each windowed.
    pub fn frames<N, F, J>(window: [f32; F], signal: [f32; N]) -> [[f32; F]; (N - F) / J + 1] where F <= N {
        map(|frame| map(|(x, w)| x * w, zip(frame, window)), slide(F, J, signal))
    }

    pub fn centred_frames<N, F, J>(signal: [f32; N]) -> [[f32; F]; (N + F / 2 * 2 - F) / J + 1]
    where
        F <= N,
    {
        slide(F, J, padMirror(F / 2, F / 2, signal))
    }

    pub fn round_trip<N, K, S>(xs: [f32; N]) -> [f32; N] where K <= N, S <= K, (N - K) % S == 0 {
        unslide(S, slide(K, S, xs))
    }

    /// Rows that share elements are squared one by one.
    pub fn shared_round_trip<N, M>(xs: [f32; N]) -> [f32; N] where M <= N {
        joinOverlap(N, map(|row| map(|x| x * x, row), splitOverlap(M, xs)))
    }

    /// Rows from elsewhere: what the last of them says counts.
    pub fn shared_rows<N, M>(rows: [[f32; M]; (N + M - 1) / M]) -> [f32; N] where M <= N {
        joinOverlap(N, rows)
    }

    /// What is added to a running value is added once.
    pub fn shared_sums<N, M, K>(rows: [[f32; N]; K]) -> [f32; N] where M <= N {
        reduce(
            repeat(N, 0.0),
            |accs, row| joinOverlap(N, map(
                |(accs, row)| map(|(acc, x)| acc + x, zip(accs, row)),
                zip(splitOverlap(M, accs), splitOverlap(M, row)),
            )),
            rows,
        )
    }

    pub fn patches<H, W, C, A>(image: [[[f32; C]; W]; H]) -> [[f32; A * A * C]; H / A * (W / A)]
    where
        H % A == 0,
        W % A == 0,
    {
        map(|patch| join2D(patch), join(split2D((A, A), image)))
    }

    // Nested tiles.

    pub fn nested_tiles<N, A, B>(xs: [f32; N]) -> [f32; N] where N % (A * B) == 0 {
        join(join(map(|tile| map2D(|x| x * 2.0, split(B, tile)), split(A * B, xs))))
    }

    pub fn nested_tiles_outside_in<N, A, B>(xs: [f32; N]) -> [f32; N] where N % A == 0, A % B == 0 {
        join(map(|tile| join(map2D(|x| x * 2.0, split(B, tile))), split(A, xs)))
    }

    pub fn tiles_of_tiles<H, W, A, B, T, U>(image: [[f32; W]; H]) -> [[f32; W]; H]
    where
        H % (A * T) == 0,
        W % (B * U) == 0,
    {
        untile2D(map2D(
            |tile| untile2D(map2D(|small| map2D(|x| x * 2.0, small), split2D((T, U), tile))),
            split2D((A * T, B * U), image),
        ))
    }

    pub fn transposed_in_tiles<H, W, T, U>(image: [[f32; W]; H]) -> [[f32; H]; W] where H % T == 0, W % U == 0 {
        untile2D(transpose(map2D(|tile| transpose(tile), split2D((T, U), image))))
    }

    /// Two convolutions in one tile.
    pub fn two_in_tiles<N, K, L, T>(first: [f32; K], second: [f32; L], xs: [f32; N]) -> [f32; N - K - L + 2]
    where
        K + L <= N + 1,
        (N - K - L + 2) % T == 0,
    {
        let tiles = slide(T + K + L - 2, T, xs);
        join(map(
            |tile| {
                let between = map(|window| weighted(window, first), slide(K, 1, tile));
                map(|window| weighted(window, second), slide(L, 1, between))
            },
            tiles,
        ))
    }

    /// A strided convolution, then a strided pool, in one tile.
    pub fn conv_pool_tiles<N, K, S, L, R, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; ((N - K) / S + 1 - L) / R + 1]
    where
        K <= N,
        L <= (N - K) / S + 1,
        (((N - K) / S + 1 - L) / R + 1) % T == 0,
    {
        let tiles = slide(((T - 1) * R + L - 1) * S + K, T * R * S, xs);
        join(map(
            |tile| {
                let between = map(|window| weighted(window, kernel), slide(K, S, tile));
                map(|window| reduce(f32::NEG_INFINITY, max, window), slide(L, R, between))
            },
            tiles,
        ))
    }

    pub fn prefix_in_blocks<N, T>(xs: [f32; N]) -> [f32; N] where N % T == 0 {
        let blocks = map(|block| scan(0.0, |acc, x| acc + x, block), split(T, xs));
        let ends = map(|block| reduce(0.0, |_, x| x, block), blocks);
        let starts = take(N / T, concat([0.0], scan(0.0, |acc, x| acc + x, ends)));
        join(map(|(block, start)| map(|x| x + start, block), zip(blocks, starts)))
    }
}
