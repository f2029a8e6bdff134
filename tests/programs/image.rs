//! Integer filters on images of bytes: sums in `i32`, divided, and bytes again.

use super::{BYTES, Case, one, view};
use lift::prelude::*;
use ndarray::{Array2, ArrayD, Ix2, Ix3};

lift! {
    /// A Gaussian blur.
    pub fn blur<W, H>(image: [[u8; W]; H]) -> [[u8; W]; H] {
        map2D(
            |window| {
                let sum = reduce(
                    0,
                    |acc, (x, w)| acc + x as i32 * w,
                    zip(join(window), join([[1, 2, 1], [2, 4, 2], [1, 2, 1]])),
                );
                (sum / 16) as u8
            },
            slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, image)),
        )
    }

    /// Sharper edges; what leaves the range of a byte saturates.
    pub fn sharpen<W, H>(image: [[u8; W]; H]) -> [[u8; W]; H] {
        map2D(
            |window| {
                let sum = reduce(
                    0i32,
                    |acc, (x, w)| acc + x as i32 * w,
                    zip(join(window), join([[0, -1, 0], [-1, 5, -1], [0, -1, 0]])),
                );
                max(0, min(255, sum)) as u8
            },
            slide2D((3, 3), (1, 1), padMirror2D(1, 1, 1, 1, image)),
        )
    }

    /// Grey from red, green and blue, and black or white from that.
    pub fn threshold<W, H>(level: u8, image: [[[u8; 3]; W]; H]) -> [[bool; W]; H] {
        map2D(
            |pixel| {
                let weighted = zip(pixel, [77, 150, 29]);
                let grey = reduce(0u32, |acc, (x, w)| acc + x as u32 * w, weighted) / 256;
                grey as u8 >= level
            },
            image,
        )
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: blur::program,
        largest: &[23, 19],
        range: BYTES,
        expected: |_, x| {
            let reach = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
            filtered(&x[0], reach, [[1, 2, 1], [2, 4, 2], [1, 2, 1]], |sum| sum / 16)
        },
    },
    Case {
        program: sharpen::program,
        largest: &[19, 23],
        range: BYTES,
        // With a frame of one element, mirroring repeats the edge as clamping does.
        expected: |_, x| {
            let reach = |i: usize, d: usize, n: usize| (i + d).saturating_sub(1).min(n - 1);
            filtered(&x[0], reach, [[0, -1, 0], [-1, 5, -1], [0, -1, 0]], |sum| sum.clamp(0, 255))
        },
    },
    Case {
        program: threshold::program,
        largest: &[17, 13],
        range: BYTES,
        expected: |_, x| {
            let level = super::scalar(&x[0]);
            let image = view::<Ix3>(&x[1]);
            let (h, w, _) = image.dim();
            one(Array2::from_shape_fn((h, w), |(y, x)| {
                let part = |c: usize, weight: f64| image[[y, x, c]] * weight;
                let grey = ((part(0, 77.0) + part(1, 150.0) + part(2, 29.0)) / 256.0).floor();
                (grey >= level) as u8 as f64
            }))
        },
    },
];

/// `reach(i, d, n)` is the element that stands at `i + d - 1` of `n`.
fn filtered(
    image: &ArrayD<f64>,
    reach: fn(usize, usize, usize) -> usize,
    weights: [[i64; 3]; 3],
    finish: fn(i64) -> i64,
) -> Vec<ArrayD<f64>> {
    let image = view::<Ix2>(image);
    let (h, w) = image.dim();
    one(Array2::from_shape_fn((h, w), |(y, x)| {
        let mut sum = 0;
        for (i, row) in weights.iter().enumerate() {
            for (j, weight) in row.iter().enumerate() {
                sum += weight * image[[reach(y, i, h), reach(x, j, w)]] as i64;
            }
        }
        finish(sum) as f64
    }))
}
