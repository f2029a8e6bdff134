//! Programs that place their maps themselves, and sizes and parameters to run them at.

use lift::Program;
use lift::prelude::*;

lift! {
    /// GPGPU'20, listing 4.
    fn partial_conv<C, KS, K, H, W, S,
        tune THETA: KS..=KS + 64, tune KAPPA: 1..=16, tune SIGMA: 1..=16, tune OMEGA: 1..=144, tune V: [1, 2, 4, 8, 16]>(
        weights: [[[[f32; C]; KS]; KS]; K],
        padded: [[[f32; C]; W]; H],
    ) -> [[[[[[f32; C * KS * KS / OMEGA]; SIGMA]; (THETA - KS + S) / S * ((THETA - KS + S) / S) / SIGMA]; KAPPA]; K / KAPPA];
          (H - KS + S) / (THETA - KS + S) * ((W - KS + S) / (THETA - KS + S))]
    where KS <= H, KS <= W
    {
        let stride = THETA - (KS - S);
        let tiles = join(slideStrict2D((THETA, THETA), (stride, stride), padded));
        let windows = map(|tile| join(slideStrict2D((KS, KS), (S, S), tile)), tiles);
        let coalesce = |window| {
            let flat = join2D(window);
            let coalesced = reorder(stridedIndex(C * KS * KS / OMEGA), flat);
            map(|chunk| asVector(V, chunk), split(OMEGA, coalesced))
        };
        let windows = map(|tile| split(SIGMA, map(coalesce, tile)), windows);
        let kernels = split(KAPPA, map(coalesce, weights));
        mapWrg(1, |tile|
            mapWrg(0, |kernels| transpose(
                mapLcl(1, |windows| map(transpose, transpose(
                    mapLcl(0, |(window, kernel)|
                        toGlobal(reduceSeq(
                            mapSeq(|zeros| toPrivate(zeros), repeat(KAPPA, repeat(SIGMA, 0.0))),
                            |acc, (inputs, kernels)| {
                                let inputs = mapSeq(|input| toPrivate(input), inputs);
                                mapSeq(
                                    |(row, kernel)| mapSeq(
                                        |(value, input)| value + vectorize(V, dot)(input, kernel),
                                        zip(row, inputs),
                                    ),
                                    zip(acc, kernels),
                                )
                            },
                            zip(transpose(window), transpose(kernel)),
                        )),
                        zip(transpose(windows), transpose(kernels))))),
                    tile)),
                kernels),
            windows)
    }

    /// The four steps of GPGPU'20 §4.2, each a kernel.
    pub fn direct<C, KS, K, H, W, S,
        tune THETA: KS..=KS + 64, tune RHO: 0..=64, tune KAPPA: 1..=16, tune SIGMA: 1..=16, tune OMEGA: 1..=144, tune V: [1, 2, 4, 8, 16]>(
        const weights: [[[[f32; C]; KS]; KS]; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; (W - KS + S) / S]; (H - KS + S) / S]; K]
    where KS <= H, KS <= W, (H - KS) % S == 0, (W - KS) % S == 0
    {
        let padded = toGlobal(pad2D(0, RHO, 0, RHO, 0.0, input));
        let partial = toGlobal(partial_conv(weights, padded));
        let summed = mapWrg(1, |tile|
            mapWrg(0, |kernels|
                mapLcl(1, |kernel|
                    mapLcl(0, |window| reduceSeq(0.0, |a, b| a + b, window), join(kernel)),
                    kernels),
                tile),
            partial);
        let perTile = (THETA - KS + S) / S;
        let channels = transpose(map(join, summed));
        let tiled = map(|channel| split((W + RHO - KS + S) / (THETA - KS + S), map(|tile| split(perTile, tile), channel)), channels);
        map(|channel| pad2D(0, -(RHO / S), 0, -(RHO / S), 0.0, untile2D(channel)), tiled)
    }
}

lift! {
    /// Sixteen output channels and two columns for each work-item (Hashemi 2019).
    pub fn combined<C, K, H, W>(
        const weights: [[[[f32; K]; 3]; 3]; C],
        biases: [f32; K],
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; W]; H]; K]
    where
        K % 16 == 0,
        W % 2 == 0,
    {
        let padded = map(|plane| pad2D(1, 1, 1, 1, 0.0, plane), input);
        // For two columns of the output it takes four of the input: [H][W / 2][C][3][4].
        let patches = map(transpose, transpose(map(|plane| slide2D((3, 4), (1, 2), plane), padded)));
        // Weights are loaded across output channels: [K / 16][C][3][3] vectors.
        let vectors = map3D(|channels| asVector(16, channels), weights);
        let groups = transpose(map(|taps| transpose(map(transpose, taps)), vectors));
        let outputs = mapGlb(2, |(kernels, bias)|
            mapGlb(1, |row|
                mapGlb(0, |patch| {
                    let sums = reduceSeq(
                        mapSeq(|start| toPrivate(start), repeat(2, bias)),
                        |acc, (inputs, kernel)| mapSeq(
                            |(sum, window)| reduceSeqUnroll(
                                sum, |sum, (x, w)| sum + w * x, zip(window, kernel)),
                            zip(acc, slide(3, 1, inputs)),
                        ),
                        zip(join(patch), join(kernels)),
                    );
                    split(16, asScalar(mapSeq(|sum| max(sum, 0.0), sums)))
                }, row),
                patches),
            zip(groups, asVector(16, biases)));
        // [K / 16][H][W / 2][2][16] → [K][H][W].
        join(map(|group| transpose(map(|row| transpose(join(row)), group)), outputs))
    }
}

lift! {
    /// The same in Hashemi's own layout, nothing repacked: weights are IOHW, so that those of sixteen outputs are nine
    /// vectors of sixteen; each element has a bias; the input has the border that the layer before gave it, and the
    /// result has the one that the next layer reads.
    pub fn in_own_layout<C, K, H, W>(
        const weights: [[[[f32; 3]; 3]; K]; C],
        biases: [[[f32; W]; H]; K],
        input: [[[f32; W + 2]; H + 2]; C],
    ) -> [[[f32; W + 2]; H + 2]; K]
    where
        K % 16 == 0,
        W % 2 == 0,
    {
        // For two columns of the output it takes four of the input: [H][W / 2][C][3][4].
        let patches = map(transpose, transpose(map(|plane| slide2D((3, 4), (1, 2), plane), input)));
        // [K / 16][C][9] vectors of weights.
        let kernels = transpose(map(|outputs| map(|block| asVector(16, join2D(block)), split(16, outputs)), weights));
        // [K / 16][H][W / 2][16] vectors of biases.
        let biases = map(
            |block| map(|rows| transpose(map(|row| asVector(2, row), rows)), transpose(block)),
            split(16, biases));
        let border = |pixels| mapGlb(0, |pixel| mapSeq(|x| x, pixel), pixels);
        let planes = mapGlb(2, |(kernels, biases)| concat(
            mapGlb(1, border, repeat(1, repeat(W + 2, repeat(16, 0.0)))),
            mapGlb(1, |(patches, biases)| concat(
                border(repeat(1, repeat(16, 0.0))),
                join(mapGlb(0, |(patch, biases)| {
                    let sums = reduceSeq(
                        mapSeq(|zeros| toPrivate(zeros), repeat(16, repeat(2, 0.0))),
                        |acc, (rows, taps)| {
                            let rows = mapSeq(|row| toPrivate(row), join(map(|row| asVector(4, row), rows)));
                            let taps = mapSeq(|vector| toPrivate(vector), taps);
                            let windows = slide(3, 1, transpose(split(4, asScalar(rows))));
                            mapSeq(
                                |(sums, kernel)| mapSeq(
                                    |(sum, window)| reduceSeqUnroll(
                                        sum, |sum, (x, w)| sum + x * w, zip(join(transpose(window)), kernel)),
                                    zip(sums, windows)),
                                zip(acc, split(9, asScalar(taps))))
                        },
                        zip(patch, kernels),
                    );
                    let pairs = zip(asVector(2, join(sums)), biases);
                    transpose(split(2, asScalar(mapSeq(|(sum, bias)| max(sum + bias, 0.0), pairs))))
                }, zip(patches, biases))),
                border(repeat(1, repeat(16, 0.0)))),
                zip(patches, biases)),
            mapGlb(1, border, repeat(1, repeat(W + 2, repeat(16, 0.0))))),
            zip(kernels, biases));
        // [K / 16][H + 2][W + 2][16] → [K][H + 2][W + 2].
        join(map(|plane| transpose(map(transpose, plane)), planes))
    }
}

lift! {
    /// Tiles for work-groups, and in them strips for work-items: columns by four channels (IREE 2021).
    pub fn tiled<H, W, C, K,
        tune TH: [1, 2, 4, 8], tune TW: 1..=32, tune TK: [4, 8, 16, 32, 64], tune COLUMNS: [1, 2, 4, 8]>(
        const weights: [[[[f32; K]; C]; 3]; 3],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
        K % 4 == 0,
    {
        let tiles = slide2D((TH + 2, TW + 2), (TH, TW), input);
        // [K / TK][3][3][C][TK / 4] vectors.
        let filters = map3D(|channels| split(TK / 4, asVector(4, channels)), weights);
        let filters = transpose(map(transpose, map2D(transpose, filters)));
        let filters = map(|block| transpose(map(transpose, map2D(transpose, block))), filters);
        join(mapWrg(2, |row| map(join, transpose(
            mapWrg(1, |tile| map2D(join, map(transpose, transpose(
                mapWrg(0, |filter|
                    mapLcl(2, |rows| join(
                        mapLcl(1, |strip| map(asScalar, transpose(
                            mapLcl(0, |kernel| toGlobal(reduceSeq(
                                mapSeq(|zero| toPrivate(zero), asVector(4, repeat(4 * COLUMNS, 0.0))),
                                |acc, (inputs, kernel)| mapSeq(
                                    |(sum, window)| reduceSeq(
                                        sum, |sum, (x, w)| sum + w * x, zip(join(window), join(kernel))),
                                    zip(acc, slide(3, 1, inputs)),
                                ),
                                zip(strip, kernel))),
                            filter))),
                        transpose(map(|row| slide(COLUMNS + 2, COLUMNS, row), rows)))),
                    slide(3, 1, tile)),
                filters)))),
            row))),
        tiles))
    }
}

lift! {
    /// Rows in local memory, turned round: others' elements are read.
    pub fn turned<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        mapWrg(0, |row| {
            let kept = toLocal(mapLcl(0, |x| x, row));
            mapLcl(0, |x| x * 2.0, reverse(kept))
        }, rows)
    }

    /// The same memory for every block of rows, so that it is overwritten.
    pub fn sums_of_blocks<N, M, L>(blocks: [[[f32; M]; L]; N]) -> [[f32; M]; N] {
        mapWrg(0, |block|
            mapLcl(0, |x| x, reduceSeq(
                toLocal(mapLcl(0, |x| x, repeat(M, 0.0))),
                |acc, row| {
                    let row = toLocal(mapLcl(0, |x| x, row));
                    mapLcl(0, |(a, x)| a + x, zip(acc, reverse(row)))
                },
                block,
            )),
            blocks)
    }

    /// A tile for each work-item of dimension 1, shared by those of dimension 0.
    pub fn rows_of_tiles<N, M, L>(tiles: [[[f32; M]; L]; N]) -> [[[f32; M]; L]; N] {
        map(join, mapWrg(1, |tile|
            mapWrg(0, |tile|
                mapLcl(1, |row| {
                    let kept = toLocal(mapLcl(0, |x| x + 1.0, row));
                    mapLcl(0, |x| x, reverse(kept))
                }, tile),
                repeat(1, tile)),
            tiles))
    }

    /// A running array that a group has in local memory: each result is copied as soon as it is there.
    pub fn running_rows<N, M, L>(rows: [[[f32; L]; M]; N], starts: [f32; L]) -> [[[f32; L]; M]; N] {
        let copied = |sums| mapLcl(0, |x| 2.0 * x, reverse(sums));
        mapWrg(
            0,
            |rows| mapSeq(
                copied,
                scan(
                    toLocal(mapLcl(0, |x| x, starts)),
                    |sums, row| {
                        let last = toLocal(mapLcl(0, |x| x, split(L, sums)));
                        mapLcl(0, |(x, y)| x + y, zip(row, reverse(join(last))))
                    },
                    rows,
                ),
            ),
            rows,
        )
    }

    /// More elements than work-items.
    pub fn long_rows<N>(rows: [[i32; 1500]; N]) -> [[i32; 1500]; N] {
        mapWrg(0, |row| {
            let kept = toLocal(mapLcl(0, |x| x + 1, row));
            mapLcl(0, |x| x * 2, reverse(kept))
        }, rows)
    }

    /// Prefix sums that are used one by one.
    pub fn prefixes_in_turn<N, M>(rows: [[f32; M]; N]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapSeq(|sum| sum * sum, scan(1.0, |sum, x| sum + x, row)), rows)
    }

    /// Vectors of several widths and types; a scalar stands for each element.
    pub fn vectors<N>(xs: [f32; 8 * N], ys: [i32; 8 * N], k: i32) -> ([f32; 8 * N], [i32; 8 * N], [f32; 2 * N]) {
        (
            asScalar(mapGlb(0, |v| max(sqrt(abs(v)) + 1.5, v / 2.0), asVector(8, xs))),
            asScalar(mapGlb(0, |v| (v * k - 7) % 5 + v / 3, asVector(4, ys))),
            mapGlb(0, |(x, y)| dot(x, y as f32), zip(asVector(4, xs), asVector(4, ys))),
        )
    }

    /// Padding in the middle of vectors.
    pub fn padded_vectors<N>(xs: [f32; N]) -> [f32; 4 * N] {
        asScalar(mapGlb(0, vectorize(4, |v| v * 3.0), asVector(4, pad(N + 1, 2 * N - 1, 1.0, xs))))
    }

    /// Elements of vectors picked out again.
    pub fn picked<N>(xs: [i32; 4 * N]) -> [i32; 4 * N] {
        mapGlb(0, |x| x + 1, reverse(asScalar(map(|v| v * v, asVector(4, xs)))))
    }

    /// Written out loops, and a product of rows.
    pub fn unrolled<N, M>(a: [[f32; 6]; N], b: [[f32; 6]; M]) -> [[f32; M]; N] {
        mapGlb(1, |row| mapGlb(0, |other| dot(row, other) - reduceSeqUnroll(0.0, |s, x| s + x, other), b), a)
    }

    /// Windows of padded rows, with what they share in registers.
    pub fn rotating<N, M>(rows: [[f32; M]; N], weights: [f32; 3]) -> [[f32; M]; N] {
        mapGlb(0, |row| mapSeq(
            |w| reduceSeq(0.0, |acc, (x, k)| acc + x * k, zip(w, weights)),
            rotated(slide(3, 1, pad(1, 1, 0.0, row)))), rows)
    }

    /// They move by two of their five elements.
    pub fn rotating_by_two<N, M>(rows: [[i32; 2 * M + 3]; N]) -> [[i32; M]; N] {
        mapGlb(0, |row| mapSeq(|w| reduceSeq(0, |acc, x| acc * 3 + x, w), rotated(slide(5, 2, row))), rows)
    }

    /// Windows of two dimensions, that share columns; the sums of all of a row.
    pub fn rotating_columns<H, W>(image: [[f32; W]; H]) -> [f32; H - 2] where H >= 3, W >= 3 {
        mapGlb(0, |rows| reduceSeq(
            0.0,
            |sum, columns| sum + 2.0 * reduceSeq(0.0, |acc, column| reduceSeq(acc, |a, x| a + x * x, column), columns),
            rotated(slide(3, 1, transpose(rows)))), slide(3, 1, image))
    }

    /// Kept in registers, element by element.
    pub fn registers<N>(rows: [[f32; 5]; N]) -> [[f32; 5]; N] {
        mapGlb(0, |row| {
            let row = mapSeq(|x| toPrivate(x * x), row);
            let total = reduceSeq(0.0, |s, x| s + x, row);
            mapSeqUnroll(|x| x / (total + 1.0), row)
        }, rows)
    }
}

/// A program, and the values of all its sizes at each point, in the order of its `<…>`.
pub struct Placed {
    pub program: fn() -> &'static Program,
    pub points: &'static [&'static [usize]],
}

/// The papers' convolutions.
pub const CONVOLUTIONS: &[Placed] = &[
    // C, KS, K, H, W, S, THETA, RHO, KAPPA, SIGMA, OMEGA, V
    Placed {
        program: direct::program,
        points: &[
            &[8, 3, 4, 10, 10, 1, 4, 0, 2, 1, 12, 4],
            &[4, 3, 4, 9, 9, 2, 5, 0, 4, 2, 6, 2],
            &[3, 2, 2, 7, 7, 1, 4, 3, 1, 3, 4, 1],
            &[1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1],
            // Table 4's, of a small layer.
            &[16, 3, 4, 9, 9, 1, 5, 11, 4, 3, 144, 4],
            &[16, 3, 4, 9, 9, 1, 5, 2, 4, 3, 36, 4],
        ],
    },
    Placed { program: combined::program, points: &[&[8, 32, 6, 8], &[1, 16, 1, 2], &[3, 16, 5, 10]] },
    Placed { program: in_own_layout::program, points: &[&[8, 32, 6, 8], &[1, 16, 1, 2], &[3, 16, 5, 10]] },
    // H, W, C, K, TH, TW, TK, COLUMNS
    Placed {
        program: tiled::program,
        points: &[&[10, 10, 8, 32, 4, 4, 16, 2], &[3, 3, 1, 4, 1, 1, 4, 1], &[4, 10, 3, 12, 2, 8, 4, 8]],
    },
];

/// What work-items of a group share.
pub const LOCAL_MEMORY: &[Placed] = &[
    Placed { program: turned::program, points: &[&[3, 8], &[1, 1], &[4, 33]] },
    Placed { program: sums_of_blocks::program, points: &[&[3, 8, 4], &[2, 5, 1], &[1, 1, 7]] },
    Placed { program: rows_of_tiles::program, points: &[&[3, 8, 4], &[1, 1, 1], &[2, 3, 5]] },
    Placed { program: long_rows::program, points: &[&[2]] },
    Placed { program: running_rows::program, points: &[&[3, 4, 8], &[1, 1, 1], &[2, 5, 33]] },
];

/// Vectors, and what is kept in registers.
pub const REGISTERS: &[Placed] = &[
    Placed { program: vectors::program, points: &[&[1], &[5]] },
    Placed { program: prefixes_in_turn::program, points: &[&[1, 1], &[3, 7]] },
    Placed { program: padded_vectors::program, points: &[&[1], &[2], &[7]] },
    Placed { program: picked::program, points: &[&[1], &[4]] },
    Placed { program: unrolled::program, points: &[&[2, 3], &[1, 1]] },
    Placed { program: registers::program, points: &[&[1], &[9]] },
    Placed { program: rotating::program, points: &[&[1, 1], &[2, 5], &[3, 64]] },
    Placed { program: rotating_by_two::program, points: &[&[1, 1], &[3, 6]] },
    Placed { program: rotating_columns::program, points: &[&[3, 3], &[5, 9]] },
];
