//! Programs that nobody thought of when the compiler was made: tuples as results, several results,
//! choices, scalars of other types.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2, arr0};

lift! {
    /// The smallest, the largest and the mean.
    pub fn extent<N>(xs: [f32; N]) -> (f32, f32, f32) {
        let (low, high) = reduce(
            (f32::INFINITY, f32::NEG_INFINITY),
            |(low, high), x| (min(low, x), max(high, x)),
            xs,
        );
        (low, high, reduce(0.0, |acc, x| acc + x, xs) / N as f32)
    }

    /// How often each of `B` values occurs.
    pub fn histogram<N, B>(xs: [u8; N]) -> [u32; B] {
        map(
            |bin| reduce(0, |acc, x| if x as u32 == bin { acc + 1 } else { acc }, xs),
            generate(B, |i| i as u32),
        )
    }

    /// Real and imaginary parts of the discrete Fourier transform, in double precision.
    pub fn fourier<N>(xs: [f64; N]) -> ([f64; N], [f64; N]) {
        unzip(map(
            |k| reduce(
                (0.0, 0.0),
                |(re, im), (x, i)| {
                    let angle = -2.0 * consts::PI * i * k / N as f64;
                    (re + x * cos(angle), im + x * sin(angle))
                },
                zip(xs, generate(N, |i| i as f64)),
            ),
            generate(N, |k| k as f64),
        ))
    }

    /// Rows in reverse order, columns read with a stride, a border before and after.
    pub fn rearranged<M, S, H>(rows: [[i16; M * S]; H]) -> [[i16; M * S + 2]; H] {
        let ordered = map(|row| reorder(stridedIndex(S), row), reverse(rows));
        map(|row| concat([-1], row, [-2]), ordered)
    }

    /// Two results of different shapes from one reading of the input.
    pub fn row_and_column_sums<W, H>(xss: [[f32; W]; H]) -> ([f32; H], [f32; W]) {
        let sum = |xs| reduce(0.0, |acc, x| acc + x, xs);
        (map(sum, xss), map(sum, transpose(xss)))
    }
}

lift! {
    /// Each lane chooses for itself, by one comparison or by several.
    pub fn lanes_choose<N>(xs: [f32; 4 * N], ys: [f32; 4 * N]) -> [f32; 4 * N] {
        let leaky = |v| if v > 0.0 { v } else { v * 0.25 };
        asScalar(map(
            |(x, y)| if x > y && !(x >= 4.0) || y < -3.0 { leaky(x) } else { 1.0 },
            zip(asVector(4, xs), asVector(4, ys)),
        ))
    }

    /// Eight bytes a lane, and numbers without a sign.
    pub fn wide_lanes_choose<N>(xs: [f64; 2 * N], ns: [i64; 2 * N], us: [u32; 2 * N]) -> ([f64; 2 * N], [i64; 2 * N], [u32; 2 * N]) {
        let (xs, ns, us) = unzip(map(
            |(x, n, u)| {
                let (x, n) = if x < 1.5 || n == 3 { (x, n) } else { (0.5, -n) };
                (x, n, if u > 5 { u } else { 7 })
            },
            zip(asVector(2, xs), asVector(2, ns), asVector(2, us)),
        ));
        (asScalar(xs), asScalar(ns), asScalar(us))
    }

    /// Pairs are chosen part by part, also where their lanes are of another size than what is compared, or where there are
    /// no instructions for them.
    pub fn lanes_choose_pairs<N>(xs: [f64; 2 * N], ys: [f32; 2 * N], zs: [u8; 2 * N]) -> ([f32; 2 * N], [u8; 2 * N]) {
        let (ys, zs) = unzip(map(
            |(x, y, z)| {
                let (y, z) = if x > 0.0 { (y, z) } else { (0.0, z) };
                if z < 100 { (y, z) } else { (1.0, 7) }
            },
            zip(asVector(2, xs), asVector(2, ys), asVector(2, zs)),
        ));
        (asScalar(ys), asScalar(zs))
    }
}

lift! {
    pub fn smooth_functions<N>(xs: [f32; N], ys: [f32; N]) -> (
        [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N],
    ) {
        unzip(map(
            |(x, y)| (
                sin(x) - cos(y),
                tan(x / 3.0) + atan(y),
                asin(x / 4.0) * acos(y / 4.0),
                atan2(x, y),
                sinh(x) + cosh(y) - tanh(x),
                exp(x) + exp2(y),
                ln(abs(x) + 0.5) + log2(abs(y) + 1.0) + log10(abs(x) + 2.0),
                sqrt(abs(x)) + hypot(x, y),
                pow(abs(x) + 0.25, y),
            ),
            zip(xs, ys),
        ))
    }

    /// In double precision, where OpenCL's functions have other names or none.
    pub fn stepped_functions<N>(xs: [f64; N], ys: [f64; N]) -> (
        [f64; N], [f64; N], [f64; N], [f64; N], [f64; N], [f64; N],
    ) {
        unzip(map(
            |(x, y)| (floor(x) - ceil(y), trunc(x) + round(y), x % y, fma(x, y, x), min(x, y), max(x, -y)),
            zip(xs, ys),
        ))
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: lanes_choose::program,
        largest: &[40],
        range: (-6.0, 6.0),
        expected: |_, x| {
            let leaky = |v: f64| if v > 0.0 { v } else { v * 0.25 };
            let each = |(x, y): (&f64, &f64)| if *x > *y && *x < 4.0 || *y < -3.0 { leaky(*x) } else { 1.0 };
            one(view::<Ix1>(&x[0]).iter().zip(view::<Ix1>(&x[1])).map(each).collect::<Array1<f64>>())
        },
    },
    Case {
        program: wide_lanes_choose::program,
        largest: &[33],
        range: (0.0, 9.0),
        expected: |_, x| {
            let [xs, ns, us] = [0, 1, 2].map(|k| view::<Ix1>(&x[k]));
            let chosen = |k: usize| if xs[k] < 1.5 || ns[k] == 3.0 { (xs[k], ns[k]) } else { (0.5, -ns[k]) };
            let (xs, ns): (Vec<f64>, Vec<f64>) = (0..xs.len()).map(chosen).unzip();
            let us = us.iter().map(|u| if *u > 5.0 { *u } else { 7.0 }).collect();
            [xs, ns, us].map(|found| Array1::from(found).into_dyn()).into()
        },
    },
    Case {
        program: lanes_choose_pairs::program,
        largest: &[33],
        range: (-200.0, 200.0),
        expected: |_, x| {
            let [xs, ys, zs] = [0, 1, 2].map(|k| view::<Ix1>(&x[k]));
            let each = |k: usize| match (xs[k] > 0.0, zs[k] < 100.0) {
                (_, false) => (1.0, 7.0),
                (true, true) => (ys[k], zs[k]),
                (false, true) => (0.0, zs[k]),
            };
            let (ys, zs): (Vec<f64>, Vec<f64>) = (0..xs.len()).map(each).unzip();
            [ys, zs].map(|found| Array1::from(found).into_dyn()).into()
        },
    },
    Case {
        program: extent::program,
        largest: &[41],
        range: NUMBERS,
        expected: |_, x| {
            let low = x[0].iter().copied().fold(f64::INFINITY, f64::min);
            let high = x[0].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let mean = x[0].sum() / x[0].len() as f64;
            [low, high, mean].map(|v| arr0(v).into_dyn()).to_vec()
        },
    },
    Case {
        program: histogram::program,
        largest: &[61, 23],
        range: (0.0, 23.0),
        expected: |n, x| {
            let mut counts = Array1::zeros(n[1]);
            for value in &x[0] {
                if let Some(count) = counts.get_mut(*value as usize) {
                    *count += 1.0;
                }
            }
            one(counts)
        },
    },
    Case {
        program: fourier::program,
        largest: &[31],
        range: NUMBERS,
        expected: |_, x| {
            let xs = view::<Ix1>(&x[0]);
            let n = xs.len();
            let (mut re, mut im) = (Array1::zeros(n), Array1::zeros(n));
            for k in 0..n {
                for (i, x) in xs.iter().enumerate() {
                    let angle = -2.0 * std::f64::consts::PI * (i * k) as f64 / n as f64;
                    re[k] += x * angle.cos();
                    im[k] += x * angle.sin();
                }
            }
            vec![re.into_dyn(), im.into_dyn()]
        },
    },
    Case {
        program: rearranged::program,
        largest: &[7, 5, 6],
        range: (-30000.0, 30000.0),
        expected: |n, x| {
            let rows = view::<Ix2>(&x[0]);
            let ((h, w), (m, stride)) = (rows.dim(), (n[0], n[1]));
            one(Array2::from_shape_fn((h, w + 2), |(y, x)| match x {
                0 => -1.0,
                x if x == w + 1 => -2.0,
                x => rows[[h - 1 - y, (x - 1) / m + stride * ((x - 1) % m)]],
            }))
        },
    },
    Case {
        program: row_and_column_sums::program,
        largest: &[17, 19],
        range: NUMBERS,
        expected: |_, x| {
            let xss = view::<Ix2>(&x[0]);
            vec![xss.sum_axis(ndarray::Axis(1)).into_dyn(), xss.sum_axis(ndarray::Axis(0)).into_dyn()]
        },
    },
    Case {
        program: smooth_functions::program,
        largest: &[83],
        range: (-3.0, 3.0),
        expected: |_, x| {
            each_pair(
                x,
                &[
                    |x, y| x.sin() - y.cos(),
                    |x, y| (x / 3.0).tan() + y.atan(),
                    |x, y| (x / 4.0).asin() * (y / 4.0).acos(),
                    |x, y| x.atan2(y),
                    |x, y| x.sinh() + y.cosh() - x.tanh(),
                    |x, y| x.exp() + y.exp2(),
                    |x, y| (x.abs() + 0.5).ln() + (y.abs() + 1.0).log2() + (x.abs() + 2.0).log10(),
                    |x, y| x.abs().sqrt() + x.hypot(y),
                    |x, y| (x.abs() + 0.25).powf(y),
                ],
            )
        },
    },
    Case {
        program: stepped_functions::program,
        largest: &[83],
        range: (-9.0, 9.0),
        expected: |_, x| {
            each_pair(
                x,
                &[
                    |x, y| x.floor() - y.ceil(),
                    |x, y| x.trunc() + y.round(),
                    |x, y| x % y,
                    |x, y| x.mul_add(y, x),
                    f64::min,
                    |x, y| x.max(-y),
                ],
            )
        },
    },
];

/// A result for each function, of the elements of two arrays.
fn each_pair(x: &[ArrayD<f64>], functions: &[fn(f64, f64) -> f64]) -> Vec<ArrayD<f64>> {
    functions.iter().map(|f| ndarray::Zip::from(&x[0]).and(&x[1]).map_collect(|x, y| f(*x, *y))).collect()
}
