//! The best element of an array, and where it is.

use super::{BYTES, Case, NUMBERS, view};
use lift::prelude::*;
use ndarray::{ArrayD, ArrayView1, Ix1, Ix2, arr0};

lift! {
    pub fn largest<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(|best, x| x > best, xs)
    }

    /// The last of those that are equal.
    pub fn last_smallest<N, M>(rows: [[u8; N]; M]) -> ([i32; M], [u8; M]) {
        unzip(map(|row| argBest(|best, x| x <= best, row), rows))
    }

    #[strict]
    pub fn classes<N, M>(scores: [[f64; N]; M]) -> [i32; M] {
        map(|row| argBest(|best, x| x > best, row).0, scores)
    }

    fn nearer(a: (f32, i32), b: (f32, i32)) -> bool {
        b.0 < a.0 || (b.0 == a.0 && b.1 > a.1)
    }

    /// The nearest of some points to each of others, by a distance that is kept nowhere; of several the heaviest.
    pub fn nearest<N, M, D>(points: [[f32; D]; N], weights: [i32; N], others: [[f32; D]; M]) -> ([i32; M], [f32; M]) {
        let distance = |p, q| reduce(0.0, |sum, (x, y)| sum + (x - y) * (x - y), zip(p, q));
        unzip(map(
            |q| {
                let (at, (far, _)) = argBest(nearer, zip(map(|p| distance(p, q), points), weights));
                (at, far)
            },
            others,
        ))
    }

    /// The row with the largest sum, the first of these, in whole numbers.
    pub fn heaviest_row<N, M>(rows: [[i32; N]; M]) -> (i32, [i32; N]) {
        let sum = |row| reduce(0, |sum, x| sum + x % 4, row);
        argBest(|best, row| sum(row) > sum(best), rows)
    }

    /// The best of each block, then of these.
    pub fn blocked_largest<N, tune B: [1, 2, 3, 4]>(xs: [i64; N]) -> (i32, i64) {
        let blocks = map(|block| argBest(|best, x| x > best, block), split(B, xs));
        let (block, (i, x)) = argBest(|(_, best), (_, x)| x > best, blocks);
        (block * B as i32 + i, x)
    }

    /// How far the larger neighbour of each element is away, itself included.
    pub fn uphill<N>(xs: [i16; N]) -> [i32; N] {
        map(|window| argBest(|best, x| x > best, window).0 - 1, slide(3, 1, padClamp(1, 1, xs)))
    }
}

/// The index of the best, compared one after the other.
fn best(xs: ArrayView1<f64>, better: impl Fn(f64, f64) -> bool) -> usize {
    (1..xs.len()).fold(0, |best, i| if better(xs[best], xs[i]) { i } else { best })
}

/// Indices as the results they are.
fn indices(found: &[usize]) -> ArrayD<f64> {
    found.iter().map(|i| *i as f64).collect::<ndarray::Array1<f64>>().into_dyn()
}

fn values(found: impl Iterator<Item = f64>) -> ArrayD<f64> {
    found.collect::<ndarray::Array1<f64>>().into_dyn()
}

pub const CASES: &[Case] = &[
    Case {
        program: largest::program,
        largest: &[97],
        range: NUMBERS,
        expected: |_, x| {
            let xs = view::<Ix1>(&x[0]);
            let i = best(xs, |best, x| x > best);
            vec![arr0(i as f64).into_dyn(), arr0(xs[i]).into_dyn()]
        },
    },
    Case {
        program: last_smallest::program,
        largest: &[900, 7],
        range: BYTES,
        expected: |_, x| {
            let rows = view::<Ix2>(&x[0]);
            let found: Vec<usize> =
                rows.rows().into_iter().map(|row| best(row, |best, x| x <= best)).collect();
            vec![indices(&found), values(rows.rows().into_iter().zip(&found).map(|(row, i)| row[*i]))]
        },
    },
    Case {
        program: classes::program,
        largest: &[23, 17],
        range: NUMBERS,
        expected: |_, x| {
            let rows = view::<Ix2>(&x[0]);
            let found: Vec<usize> =
                rows.rows().into_iter().map(|row| best(row, |best, x| x > best)).collect();
            vec![indices(&found)]
        },
    },
    Case {
        program: nearest::program,
        largest: &[19, 13, 5],
        range: (0.0, 9.0),
        expected: |_, x| {
            let (points, weights, others) = (view::<Ix2>(&x[0]), view::<Ix1>(&x[1]), view::<Ix2>(&x[2]));
            let (mut at, mut far) = (vec![], vec![]);
            for q in others.rows() {
                let distances: Vec<f64> = points
                    .rows()
                    .into_iter()
                    .map(|p| p.iter().zip(q).map(|(x, y)| (x - y) * (x - y)).sum())
                    .collect();
                let mut best = 0;
                for (i, distance) in distances.iter().enumerate() {
                    if *distance < distances[best]
                        || (*distance == distances[best] && weights[i] > weights[best])
                    {
                        best = i;
                    }
                }
                at.push(best);
                far.push(distances[best]);
            }
            vec![indices(&at), values(far.into_iter())]
        },
    },
    Case {
        program: heaviest_row::program,
        largest: &[3, 29],
        range: (-1e9, 1e9),
        expected: |_, x| {
            let rows = view::<Ix2>(&x[0]);
            let sums = values(rows.rows().into_iter().map(|row| row.iter().map(|x| x % 4.0).sum()));
            let i = best(view::<Ix1>(&sums), |best, x| x > best);
            vec![arr0(i as f64).into_dyn(), rows.row(i).to_owned().into_dyn()]
        },
    },
    Case {
        program: blocked_largest::program,
        largest: &[24, 4],
        range: (0.0, 9.0),
        expected: |_, x| {
            let xs = view::<Ix1>(&x[0]);
            let i = best(xs, |best, x| x > best);
            vec![arr0(i as f64).into_dyn(), arr0(xs[i]).into_dyn()]
        },
    },
    Case {
        program: uphill::program,
        largest: &[23],
        range: (0.0, 9.0),
        expected: |_, x| {
            let xs = view::<Ix1>(&x[0]);
            let window = |i: usize| [i.saturating_sub(1), i, (i + 1).min(xs.len() - 1)].map(|i| xs[i]);
            let found = (0..xs.len()).map(|i| best(ArrayView1::from(&window(i)), |best, x| x > best));
            vec![values(found.map(|i| i as f64 - 1.0))]
        },
    },
];
