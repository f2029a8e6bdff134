//! Softmax, numerically stable, and what normalises like it.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Ix2};

lift! {
    pub fn softmax<N>(xs: [f32; N]) -> [f32; N] {
        let largest = reduce(f32::NEG_INFINITY, max, xs);
        let powers = map(|x| exp(x - largest), xs);
        let total = reduce(0.0, |acc, x| acc + x, powers);
        map(|x| x / total, powers)
    }

    pub fn softmax_rows<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(softmax, rows)
    }

    /// Each column by itself, and then each element with another: the elements of a column are computed together.
    pub fn softmax_columns<N, M>(rows: [[f32; N]; M], others: [[f32; N]; M]) -> [[f32; N]; M] {
        let weights = transpose(map(softmax, transpose(rows)));
        map(|(row, other)| map(|(x, y)| x * y, zip(row, other)), zip(weights, others))
    }

    /// Rows of mean 0 and variance 1.
    pub fn normalised_rows<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        map(
            |row| {
                let mean = reduce(0.0, |acc, x| acc + x, row) / N as f32;
                let centred = map(|x| x - mean, row);
                let variance = reduce(0.0, |acc, x| acc + x * x, centred) / N as f32;
                map(|x| x / sqrt(variance + 0.001), centred)
            },
            rows,
        )
    }
}

/// So far apart that `exp` without care would overflow.
const FAR: (f64, f64) = (-100.0, 150.0);

pub const CASES: &[Case] = &[
    Case {
        program: softmax::program,
        largest: &[61],
        range: FAR,
        expected: |_, x| one(weights(x[0].iter().copied().collect())),
    },
    Case {
        program: softmax_rows::program,
        largest: &[17, 13],
        range: FAR,
        expected: |_, x| rows(view(&x[0]), weights),
    },
    Case {
        program: softmax_columns::program,
        largest: &[19, 13],
        range: FAR,
        expected: |_, x| {
            let weights = rows(view::<Ix2>(&x[0]).reversed_axes(), weights).remove(0).reversed_axes();
            one(weights * &x[1])
        },
    },
    Case {
        program: normalised_rows::program,
        largest: &[17, 11],
        range: NUMBERS,
        expected: |_, x| {
            rows(view(&x[0]), |row| {
                let n = row.len() as f64;
                let mean = row.sum() / n;
                let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
                row.mapv(|x| (x - mean) / (variance + 0.001).sqrt())
            })
        },
    },
];

fn weights(row: Array1<f64>) -> Array1<f64> {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let powers = row.mapv(|x| (x - largest).exp());
    let total = powers.sum();
    powers / total
}

fn rows(input: ndarray::ArrayView<f64, Ix2>, f: fn(Array1<f64>) -> Array1<f64>) -> Vec<ndarray::ArrayD<f64>> {
    let mut result = Array2::zeros(input.dim());
    for (from, mut to) in input.rows().into_iter().zip(result.rows_mut()) {
        to.assign(&f(from.to_owned()));
    }
    one(result)
}
