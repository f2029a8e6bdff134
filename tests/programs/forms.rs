//! Forms of the language that programs elsewhere need not: elements by their index, arrays of computed values,
//! constants of the block, sizes that are given in a call, helpers of tuples, lambdas of sizes, sizes that
//! may be 0.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2, s};

lift! {
    /// `OUT` values between the first and the last, the nearest on the left.
    fn resample<N, OUT>(xs: [f32; N]) -> [f32; OUT] where OUT <= N {
        generate(OUT, |i| xs[i])
    }

    /// Rows, then columns: the same helper for both axes.
    pub fn cropped<H, W, H2, W2>(image: [[f32; W]; H]) -> [[f32; W2]; H2]
    where
        H2 <= H,
        W2 <= W,
    {
        let rows = map(resample::<W, W2>, image);
        transpose(map(|column| resample::<_, H2>(column), transpose(rows)))
    }

    /// What neighbours differ by, the first from 0.
    pub fn differences<N>(xs: [f32; N]) -> [f32; N] {
        generate(N, |i| if i >= 1 { xs[i] - xs[i - 1] } else { xs[0] })
    }

    /// Rows of four elements are weighted and turned round, others are as they are: each branch knows how long it is.
    pub fn four<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        let weighted = |xs| if N == 4 { [xs[0], 3.0 * xs[1], 3.0 * xs[2], xs[3]] } else { xs };
        let turned = |xs| if N != 4 { xs } else { generate(4, |i| xs[3 - i]) };
        map(|xs| map(|x| x + 1.0, turned(weighted(xs))), rows)
    }

    /// The upper triangle of a matrix and the sum of its corners.
    pub fn triangle<N>(m: [[f32; N]; N]) -> ([[f32; N]; N], f32) {
        let last = N - 1;
        let corners = m[0][0] + m[0][last] + m[last][0] + m[N - 1][N - 1];
        (generate(N, |i| generate(N, |j| if j >= i { m[i][j] } else { 0.0 })), corners)
    }

    /// One step of Haar's transform: sums and differences of neighbours.
    pub fn haar<N>(xs: [f32; 2 * N]) -> [[f32; N]; 2] {
        let half = 0.5;
        transpose(map(|pair| [(pair[0] + pair[1]) * half, (pair[0] - pair[1]) * half], split(2, xs)))
    }

    /// Each row's sums of its even and of its odd elements, and their products with the row's length.
    pub fn even_odd<N, M>(rows: [[f32; 2 * N]; M]) -> [[[f32; 2]; 2]; M] {
        map(
            |row| {
                let pairs = split(2, row);
                let even = reduce(0.0, |sum, pair| sum + pair[0], pairs);
                let odd = reduce(0.0, |sum, pair| sum + pair[1], pairs);
                [[even, odd], [even * N as f32, odd * N as f32]]
            },
            rows,
        )
    }

    /// The differences in every row, and the last row, made and kept in a function, plus 1.
    pub fn last_kept<N, M>(rows: [[f32; N]; M]) -> ([[f32; N]; M], [f32; N]) {
        let both = (
            map(|row| (row, padClamp(1, 0, row)), rows),
            map(|row| toGlobal(map(|x| x + 1.0, row)), rows)[M - 1],
        );
        (map(|(row, before)| map(|(x, b)| x - b, zip(row, take(N, before))), both.0), both.1)
    }

    /// Twice as many rows: each as it is, and the mean of it and the next.
    pub fn doubled<H, W>(image: [[f32; W]; H]) -> [[f32; W]; 2 * H] {
        let next = padClamp(0, 1, image);
        join(generate(H, |y| [next[y], map(|(a, b)| (a + b) / 2.0, zip(next[y], next[y + 1]))]))
    }
}

const fn weight(x: usize, y: usize) -> f64 {
    ((if x == 1 { 4 } else { 1 }) * (if y == 1 { 4 } else { 1 })) as f64 / 36.0
}

lift! {
    /// How much a pixel weighs.
    const SCALE: f32 = 1.0 / 36.0;
    const SIDE: usize = 2 + 1;
    const WEIGHTS: [[f32; SIDE]; SIDE] = [
        [SCALE, 4.0 * SCALE, SCALE],
        [4.0 / 36.0, 16.0 / 36.0, 4.0 / 36.0],
        [1.0 / 36.0, 4.0 / 36.0, 1.0 / 36.0],
    ];

    fn weighted(window: [[f32; SIDE]; SIDE]) -> f32 {
        reduce(0.0, |sum, (x, w)| sum + x * w, zip(join(window), join(WEIGHTS)))
    }

    pub fn smoothed<H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        map2D(weighted, slide2D((SIDE, SIDE), (1, 1), pad2D(1, 1, 1, 1, 0.0, image)))
    }
}

lift! {
    fn times(a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
        (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }

    fn product<N>(pairs: [((f32, f32), f32); N], weight: (f32, f32)) -> (f32, f32) {
        reduce((0.0, 0.0), |(re, im), (x, y)| {
            let (u, v) = times(x, weight);
            (re + u * y, im + v * y)
        }, pairs)
    }

    /// Weighted complex numbers, added and turned.
    pub fn turned<N>(re: [f32; N], im: [f32; N], weights: [f32; N], by: f32) -> (f32, f32) {
        product(zip(zip(re, im), weights), (by, 0.5))
    }
}

lift! {
    /// A gated recurrent unit's step: the weights of its three gates in one array.
    pub fn gru<I, H>(
        w: [[f32; I]; 3 * H],
        u: [[f32; H]; 3 * H],
        b: [f32; 3 * H],
        x: [f32; I],
        h: [f32; H],
    ) -> [f32; H] {
        let rows = |gate: usize, all| take(H, drop(gate * H, all));
        let dot = |ws, xs| reduce(0.0, |sum, (w, x)| sum + w * x, zip(ws, xs));
        let sigmoid = |x: f32| 1.0 / (1.0 + exp(-x));
        let inputs = |gate: usize| map(|(ws, b)| dot(ws, x) + b, zip(rows(gate, w), rows(gate, b)));
        let states = |gate: usize| map(|ws| dot(ws, h), rows(gate, u));
        let z = map(|(a, b)| sigmoid(a + b), zip(inputs(0), states(0)));
        let r = map(|(a, b)| sigmoid(a + b), zip(inputs(1), states(1)));
        let n = map(|(a, r, b)| tanh(a + r * b), zip(inputs(2), r, states(2)));
        map(|(z, n, h)| (1.0 - z) * n + z * h, zip(z, n, h))
    }

    /// A convolution whose padding may be none at all.
    pub fn padded_conv<N, K, P>(kernel: [f32; K], xs: [f32; N]) -> [f32; N + 2 * P - K + 1]
    where
        P >= 0,
        K <= N + 2 * P,
    {
        map(
            |window| reduce(0.0, |sum, (x, w)| sum + x * w, zip(window, kernel)),
            slide(K, 1, pad(P, P, 0.0, xs)),
        )
    }

    /// All from an offset on, then the part before it.
    pub fn rotated<N, SHIFT>(xs: [f32; N]) -> [f32; N]
    where
        0 <= SHIFT && SHIFT < N,
    {
        generate(N, |i| xs[(i + SHIFT) % N])
    }

    /// Two arrays, of which the second may have no elements.
    pub fn extended<N, M>(xs: [f32; N], more: [f32; M]) -> [f32; N + M]
    where
        M >= 0,
    {
        concat(xs, map(|x| x * 2.0, more))
    }
}

pub const CASES: &[Case] = &[
    Case { program: cropped::program, largest: &[9, 9, 9, 9], range: NUMBERS, expected: cropped_expected },
    Case { program: differences::program, largest: &[64], range: NUMBERS, expected: differences_expected },
    Case { program: four::program, largest: &[6, 9], range: NUMBERS, expected: four_expected },
    Case { program: triangle::program, largest: &[24], range: NUMBERS, expected: triangle_expected },
    Case { program: haar::program, largest: &[40], range: NUMBERS, expected: haar_expected },
    Case { program: even_odd::program, largest: &[20, 20], range: NUMBERS, expected: even_odd_expected },
    Case { program: last_kept::program, largest: &[20, 20], range: NUMBERS, expected: last_kept_expected },
    Case { program: doubled::program, largest: &[20, 20], range: NUMBERS, expected: doubled_expected },
    Case { program: smoothed::program, largest: &[20, 20], range: NUMBERS, expected: smoothed_expected },
    Case { program: turned::program, largest: &[64], range: NUMBERS, expected: turned_expected },
    Case { program: gru::program, largest: &[9, 9], range: NUMBERS, expected: gru_expected },
    Case {
        program: padded_conv::program,
        largest: &[30, 7, 4],
        range: NUMBERS,
        expected: padded_conv_expected,
    },
    Case { program: rotated::program, largest: &[30, 30], range: NUMBERS, expected: rotated_expected },
    Case { program: extended::program, largest: &[30, 30], range: NUMBERS, expected: extended_expected },
];

fn cropped_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    one(view::<Ix2>(&arguments[0]).slice(s![..sizes[2], ..sizes[3]]).to_owned())
}

fn differences_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let xs = view::<Ix1>(&arguments[0]);
    one(Array1::from_shape_fn(sizes[0], |i| if i == 0 { xs[0] } else { xs[i] - xs[i - 1] }))
}

fn four_expected(_: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let mut rows = view::<Ix2>(&arguments[0]).to_owned() + 1.0;
    if rows.ncols() == 4 {
        rows.slice_mut(s![.., 1..3]).mapv_inplace(|x| 3.0 * (x - 1.0) + 1.0);
        rows.invert_axis(ndarray::Axis(1));
    }
    one(rows)
}

fn triangle_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (m, n) = (view::<Ix2>(&arguments[0]), sizes[0]);
    let upper = Array2::from_shape_fn((n, n), |(i, j)| if j >= i { m[[i, j]] } else { 0.0 });
    let corners = m[[0, 0]] + m[[0, n - 1]] + m[[n - 1, 0]] + m[[n - 1, n - 1]];
    vec![upper.into_dyn(), ndarray::arr0(corners).into_dyn()]
}

fn haar_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let xs = view::<Ix1>(&arguments[0]);
    let sign = |k: usize| if k == 0 { 1.0 } else { -1.0 };
    one(Array2::from_shape_fn((2, sizes[0]), |(k, i)| (xs[2 * i] + sign(k) * xs[2 * i + 1]) * 0.5))
}

fn even_odd_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (rows, n) = (view::<Ix2>(&arguments[0]), sizes[0]);
    let sum = |row: usize, k: usize| (0..n).map(|i| rows[[row, 2 * i + k]]).sum::<f64>();
    let factor = |j: usize| if j == 0 { 1.0 } else { n as f64 };
    one(ndarray::Array3::from_shape_fn((sizes[1], 2, 2), |(row, j, k)| sum(row, k) * factor(j)))
}

fn last_kept_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (rows, n, m) = (view::<Ix2>(&arguments[0]), sizes[0], sizes[1]);
    let differences = Array2::from_shape_fn((m, n), |(j, i)| rows[[j, i]] - rows[[j, i.saturating_sub(1)]]);
    vec![differences.into_dyn(), Array1::from_shape_fn(n, |i| rows[[m - 1, i]] + 1.0).into_dyn()]
}

fn doubled_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (image, h) = (view::<Ix2>(&arguments[0]), sizes[0]);
    one(Array2::from_shape_fn((2 * h, sizes[1]), |(y, x)| {
        let (here, next) = (image[[y / 2, x]], image[[(y / 2 + 1).min(h - 1), x]]);
        if y % 2 == 0 { here } else { (here + next) / 2.0 }
    }))
}

fn smoothed_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let image = view::<Ix2>(&arguments[0]);
    let at = |y: usize, x: usize| match (y.checked_sub(1), x.checked_sub(1)) {
        (Some(y), Some(x)) => image.get([y, x]).copied().unwrap_or(0.0),
        _ => 0.0,
    };
    one(Array2::from_shape_fn((sizes[0], sizes[1]), |(y, x)| {
        let pixels = (0..3).flat_map(|v| (0..3).map(move |u| (u, v)));
        pixels.map(|(u, v)| at(y + v, x + u) * weight(u, v)).sum()
    }))
}

fn turned_expected(_: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let [re, im, weights] = [0, 1, 2].map(|k| view::<Ix1>(&arguments[k]));
    let by = super::scalar(&arguments[3]);
    let (mut u, mut v) = (0.0, 0.0);
    for ((a, b), w) in re.iter().zip(im).zip(weights) {
        u += (a * by - b * 0.5) * w;
        v += (a * 0.5 + b * by) * w;
    }
    vec![ndarray::arr0(u).into_dyn(), ndarray::arr0(v).into_dyn()]
}

fn gru_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let hidden = sizes[1];
    let (w, u) = (view::<Ix2>(&arguments[0]), view::<Ix2>(&arguments[1]));
    let [b, x, h] = [2, 3, 4].map(|k| view::<Ix1>(&arguments[k]));
    let input = |k: usize| w.row(k).iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + b[k];
    let state = |k: usize| u.row(k).iter().zip(h).map(|(u, h)| u * h).sum::<f64>();
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    one(Array1::from_shape_fn(hidden, |k| {
        let z = sigmoid(input(k) + state(k));
        let r = sigmoid(input(hidden + k) + state(hidden + k));
        let n = (input(2 * hidden + k) + r * state(2 * hidden + k)).tanh();
        (1.0 - z) * n + z * h[k]
    }))
}

fn padded_conv_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (kernel, xs) = (view::<Ix1>(&arguments[0]), view::<Ix1>(&arguments[1]));
    let [n, k, p] = sizes else { unreachable!("three sizes") };
    let at = |i: usize| i.checked_sub(*p).and_then(|i| xs.get(i)).copied().unwrap_or(0.0);
    one(Array1::from_shape_fn(n + 2 * p + 1 - k, |i| (0..*k).map(|j| at(i + j) * kernel[j]).sum()))
}

fn rotated_expected(sizes: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let xs = view::<Ix1>(&arguments[0]);
    one(Array1::from_shape_fn(sizes[0], |i| xs[(i + sizes[1]) % sizes[0]]))
}

fn extended_expected(_: &[usize], arguments: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (xs, more) = (view::<Ix1>(&arguments[0]), view::<Ix1>(&arguments[1]));
    one(xs.iter().copied().chain(more.iter().map(|x| x * 2.0)).collect::<Array1<f64>>())
}
