//! Linear algebra and filters: matrix products and FIR filters.

use super::{Case, NUMBERS, one, scalar, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Ix1, Ix2};

lift! {
    pub fn matrix_product<M, N, K>(a: [[f32; K]; M], b: [[f32; N]; K]) -> [[f32; N]; M] {
        map(
            |row| map(
                |column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)),
                transpose(b),
            ),
            a,
        )
    }

    /// `alpha * a * b + beta * c`, in double precision.
    pub fn gemm<M, N, K>(
        alpha: f64,
        a: [[f64; K]; M],
        b: [[f64; N]; K],
        beta: f64,
        c: [[f64; N]; M],
    ) -> [[f64; N]; M] {
        map(
            |(row, old)| map(
                |(column, old)| alpha * reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)) + beta * old,
                zip(transpose(b), old),
            ),
            zip(a, c),
        )
    }

    /// Integers: exact, whatever the order.
    pub fn matrix_vector<M, N>(a: [[i32; N]; M], x: [i32; N]) -> [i32; M] {
        map(|row| reduce(0, |acc, (x, y)| acc + x * y, zip(row, x)), a)
    }
}

lift! {
    /// Where the filter has all it needs.
    pub fn fir<N, TAPS>(taps: [f32; TAPS], signal: [f32; N]) -> [f32; N - TAPS + 1]
    where
        TAPS <= N,
    {
        map(
            |window| reduce(0.0, |acc, (x, t)| acc + x * t, zip(window, reverse(taps))),
            slide(TAPS, 1, signal),
        )
    }

    /// From the first sample on, with silence before it.
    pub fn fir_causal<N, TAPS>(taps: [f32; TAPS], signal: [f32; N]) -> [f32; N] {
        map(
            |window| reduce(0.0, |acc, (x, t)| acc + x * t, zip(window, reverse(taps))),
            slide(TAPS, 1, pad(TAPS - 1, 0, 0.0, signal)),
        )
    }

    /// Every `M`-th output only.
    pub fn fir_decimating<N, TAPS, M>(taps: [f32; TAPS], signal: [f32; N]) -> [f32; (N - TAPS + M) / M]
    where
        TAPS <= N,
    {
        map(
            |window| reduce(0.0, |acc, (x, t)| acc + x * t, zip(window, reverse(taps))),
            slide(TAPS, M, signal),
        )
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: matrix_product::program,
        largest: &[13, 11, 17],
        range: NUMBERS,
        expected: |_, x| {
            let (a, b) = (view::<Ix2>(&x[0]), view::<Ix2>(&x[1]));
            one(Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
                let mut sum = 0.0;
                for k in 0..a.ncols() {
                    sum += a[[i, k]] * b[[k, j]];
                }
                sum
            }))
        },
    },
    Case {
        program: gemm::program,
        largest: &[7, 11, 13],
        range: (-1.0, 1.0),
        expected: |_, x| {
            let (alpha, a, b) = (scalar(&x[0]), view::<Ix2>(&x[1]), view::<Ix2>(&x[2]));
            let (beta, c) = (scalar(&x[3]), view::<Ix2>(&x[4]));
            one(Array2::from_shape_fn(c.dim(), |(i, j)| {
                let mut sum = beta * c[[i, j]];
                for k in 0..a.ncols() {
                    sum += alpha * a[[i, k]] * b[[k, j]];
                }
                sum
            }))
        },
    },
    Case {
        program: matrix_vector::program,
        largest: &[19, 23],
        range: (-1000.0, 1000.0),
        expected: |_, x| {
            let (a, v) = (view::<Ix2>(&x[0]), view::<Ix1>(&x[1]));
            one(Array1::from_shape_fn(a.nrows(), |i| {
                let mut sum = 0.0;
                for k in 0..v.len() {
                    sum += a[[i, k]] * v[k];
                }
                sum
            }))
        },
    },
    Case {
        program: fir::program,
        largest: &[53, 11],
        range: NUMBERS,
        expected: |n, x| filtered(x, n[0] - n[1] + 1, |i| i + n[1] - 1),
    },
    Case {
        program: fir_causal::program,
        largest: &[41, 13],
        range: NUMBERS,
        expected: |n, x| filtered(x, n[0], |i| i),
    },
    Case {
        program: fir_decimating::program,
        largest: &[53, 11, 5],
        range: NUMBERS,
        expected: |n, x| filtered(x, (n[0] - n[1]) / n[2] + 1, |i| i * n[2] + n[1] - 1),
    },
];

/// Output `i` is made when sample `newest(i)` has come.
fn filtered(
    x: &[ndarray::ArrayD<f64>],
    length: usize,
    newest: impl Fn(usize) -> usize,
) -> Vec<ndarray::ArrayD<f64>> {
    let (taps, signal) = (view::<Ix1>(&x[0]), view::<Ix1>(&x[1]));
    one(Array1::from_shape_fn(length, |i| {
        let mut sum = 0.0;
        for (age, tap) in taps.iter().enumerate() {
            if age <= newest(i) {
                sum += tap * signal[newest(i) - age];
            }
        }
        sum
    }))
}
