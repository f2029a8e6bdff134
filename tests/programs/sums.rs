//! Prefix sums and other running results.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Ix1, Ix2};

lift! {
    pub fn prefix_sum<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |acc, x| acc + x, xs)
    }

    pub fn running_maximum<N, M>(rows: [[i32; N]; M]) -> [[i32; N]; M] {
        map(|row| scan(i32::MIN, max, row), rows)
    }

    /// An integral image: the sum of everything above and to the left.
    pub fn integral_image<W, H>(image: [[u8; W]; H]) -> [[u32; W]; H] {
        let along = map(|row| scan(0, |acc, x| acc + x as u32, row), image);
        transpose(map(|column| scan(0, |acc, x| acc + x, column), transpose(along)))
    }

    /// Running totals of each column, where they are positive: the elements of a column are computed together.
    pub fn totals_above<N, M>(rows: [[f32; N]; M]) -> [[f32; N]; M] {
        let totals = transpose(map(|column| scan(0.0, |acc, x| acc + x, column), transpose(rows)));
        map(|row| map(|total| max(total, 0.0), row), totals)
    }

    /// The prefix sum by halves: first of every block, then of the blocks' totals.
    pub fn blocked_prefix_sum<N, B>(xs: [i64; N * B]) -> [i64; N * B] {
        let blocks = map(|block| scan(0, |acc, x| acc + x, block), split(B, xs));
        let totals = scan(0, |acc, block| acc + reduce(0, |acc, x| acc + x, block), split(B, xs));
        let offsets = pad(1, -1, 0, totals);
        join(map(|(offset, block)| map(|x| offset + x, block), zip(offsets, blocks)))
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: prefix_sum::program,
        largest: &[97],
        range: NUMBERS,
        expected: |_, x| {
            let mut sums = view::<Ix1>(&x[0]).to_owned();
            for i in 1..sums.len() {
                sums[i] += sums[i - 1];
            }
            one(sums)
        },
    },
    Case {
        program: running_maximum::program,
        largest: &[23, 7],
        range: (-1e9, 1e9),
        expected: |_, x| {
            let rows = view::<Ix2>(&x[0]);
            one(Array2::from_shape_fn(rows.dim(), |(y, x)| {
                (0..=x).map(|i| rows[[y, i]]).fold(f64::NEG_INFINITY, f64::max)
            }))
        },
    },
    Case {
        program: integral_image::program,
        largest: &[17, 19],
        range: super::BYTES,
        expected: |_, x| {
            let image = view::<Ix2>(&x[0]);
            one(Array2::from_shape_fn(image.dim(), |(y, x)| {
                let mut sum = 0.0;
                for i in 0..=y {
                    for j in 0..=x {
                        sum += image[[i, j]];
                    }
                }
                sum
            }))
        },
    },
    Case {
        program: totals_above::program,
        largest: &[23, 17],
        range: NUMBERS,
        expected: |_, x| {
            let rows = view::<Ix2>(&x[0]);
            one(Array2::from_shape_fn(rows.dim(), |(y, x)| {
                (0..=y).map(|k| rows[[k, x]]).sum::<f64>().max(0.0)
            }))
        },
    },
    Case {
        program: blocked_prefix_sum::program,
        largest: &[11, 7],
        range: (-1e9, 1e9),
        expected: |_, x| {
            let numbers = view::<Ix1>(&x[0]);
            one(Array1::from_shape_fn(numbers.len(), |i| (0..=i).map(|j| numbers[j]).sum()))
        },
    },
];
