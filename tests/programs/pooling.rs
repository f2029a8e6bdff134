//! Pooling with stride: the largest and the mean of each window.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array3, ArrayD, Ix3, s};

lift! {
    /// Channels first.
    pub fn max_pool<C, H, W, K, S>(
        input: [[[f32; W]; H]; C],
    ) -> [[[f32; (W - K + S) / S]; (H - K + S) / S]; C]
    where
        K <= H,
        K <= W,
    {
        map(
            |channel| map2D(
                |window| reduce(f32::NEG_INFINITY, max, join(window)),
                slide2D((K, K), (S, S), channel),
            ),
            input,
        )
    }

    /// Channels last, windows of any shape.
    pub fn mean_pool<C, H, W, KH, KW, V, S>(
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; C]; (W - KW + S) / S]; (H - KH + V) / V]
    where
        KH <= H,
        KW <= W,
    {
        map2D(
            |window| map(
                |channel| reduce(0.0, |acc, x| acc + x, channel) / (KH * KW) as f32,
                transpose(join(window)),
            ),
            slide2D((KH, KW), (V, S), input),
        )
    }

    /// One number a channel.
    pub fn global_mean<C, H, W>(input: [[[f32; W]; H]; C]) -> [f32; C] {
        map(|channel| reduce(0.0, |acc, x| acc + x, join(channel)) / (H * W) as f32, input)
    }
}

pub const CASES: &[Case] = &[
    Case {
        program: max_pool::program,
        largest: &[5, 13, 13, 4, 4],
        range: (-1.0, 1.0),
        expected: |n, x| {
            let input = view::<Ix3>(&x[0]);
            let ((c, h, w), k, step) = (input.dim(), n[3], n[4]);
            one(Array3::from_shape_fn((c, (h - k) / step + 1, (w - k) / step + 1), |(c, y, x)| {
                let (y, x) = (y * step, x * step);
                let mut largest = f64::NEG_INFINITY;
                for i in 0..k {
                    for j in 0..k {
                        largest = largest.max(input[[c, y + i, x + j]]);
                    }
                }
                largest
            }))
        },
    },
    Case {
        program: mean_pool::program,
        largest: &[5, 11, 13, 4, 3, 3, 4],
        range: NUMBERS,
        expected: |n, x| {
            let input = view::<Ix3>(&x[0]);
            let ((h, w, c), (kh, kw), (down, right)) = (input.dim(), (n[3], n[4]), (n[5], n[6]));
            let shape = ((h - kh) / down + 1, (w - kw) / right + 1, c);
            one(Array3::from_shape_fn(shape, |(y, x, c)| {
                let (y, x) = (y * down, x * right);
                let mut sum = 0.0;
                for i in 0..kh {
                    for j in 0..kw {
                        sum += input[[y + i, x + j, c]];
                    }
                }
                sum / (kh * kw) as f64
            }))
        },
    },
    Case { program: global_mean::program, largest: &[7, 11, 13], range: NUMBERS, expected: means },
];

fn means(_: &[usize], x: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let input = view::<Ix3>(&x[0]);
    let mean =
        |c: usize| input.slice(s![c, .., ..]).iter().sum::<f64>() / (input.len() / input.dim().0) as f64;
    one((0..input.dim().0).map(mean).collect::<ndarray::Array1<f64>>())
}
