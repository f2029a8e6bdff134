//! Methods that repeat a step: each step makes something that the rest of it needs as a whole, and ends in
//! several arrays or in one put together from parts.

use super::{Case, NUMBERS, one, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Ix1, Ix2};

lift! {
    fn product<N>(matrix: [[f32; N]; N], xs: [f32; N]) -> [f32; N] {
        map(|row| dot(row, xs), matrix)
    }

    /// The largest eigenvalue, and its vector.
    pub fn power_iteration<N, STEPS>(matrix: [[f32; N]; N], start: [f32; N]) -> ([f32; N], f32) {
        iterate(
            STEPS,
            |(v, _)| {
                let w = product(matrix, v);
                let norm = sqrt(reduce(0.0, |acc, x| acc + x * x, w));
                (map(|x| x / norm, w), norm)
            },
            (start, 0.0),
        )
    }

    /// The residual: what is left of the vector after the eigenvalue is taken off.
    pub fn residual<N>(matrix: [[f32; N]; N], v: [f32; N]) -> ([f32; N], f32, [f32; N]) {
        let w = product(matrix, v);
        let value = dot(v, w) / dot(v, v);
        (w, value, map(|(a, b)| a - value * b, zip(w, v)))
    }
}

lift! {
    fn dotted<N>(xs: [f64; N], ys: [f64; N]) -> f64 {
        reduce(0.0, |acc, (x, y)| acc + x * y, zip(xs, ys))
    }

    /// A rod, held at both ends: every point is pulled by its neighbours.
    fn rod<N>(xs: [f64; N]) -> [f64; N] {
        let weights = [-1.0, 3.0, -1.0];
        map(|window| dotted(window, weights), slide(3, 1, pad(1, 1, 0.0, xs)))
    }

    /// Solves `rod(x) == b`.
    pub fn conjugate_gradients<N, STEPS>(b: [f64; N]) -> [f64; N] where STEPS < N {
        let (x, _, _) = iterate(
            STEPS,
            |(x, r, p)| {
                let pulled = rod(p);
                let alpha = dotted(r, r) / dotted(p, pulled);
                let left = map(|(r, a)| r - alpha * a, zip(r, pulled));
                let beta = dotted(left, left) / dotted(r, r);
                (map(|(x, p)| x + alpha * p, zip(x, p)), left, map(|(r, p)| r + beta * p, zip(left, p)))
            },
            (map(|x| 0.0 * x, b), b, b),
        );
        x
    }
}

lift! {
    /// The mean of the four neighbours; the boundary stays.
    fn relaxed<W, H>(u: [[f32; W]; H]) -> [[f32; W]; H]
    where
        W >= 3,
        H >= 3,
    {
        let cross = [[0.0, 0.25, 0.0], [0.25, 0.0, 0.25], [0.0, 0.25, 0.0]];
        let means = map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(cross))),
            slide2D((3, 3), (1, 1), u),
        );
        let rows = map(
            |(mean, row)| concat(take(1, row), mean, drop(W - 1, row)),
            zip(means, pad(-1, -1, 0.0, u)),
        );
        concat(take(1, u), rows, drop(H - 1, u))
    }

    /// Jacobi's method for a potential that is given on the boundary.
    pub fn jacobi<W, H, STEPS>(grid: [[f32; W]; H]) -> [[f32; W]; H]
    where
        W >= 3,
        H >= 3,
    {
        iterate(STEPS, |u| relaxed(u), grid)
    }

    /// The same with the largest change of the last step, and the potential turned over.
    pub fn jacobi_watched<W, H, STEPS>(grid: [[f32; W]; H]) -> ([[f32; H]; W], f32)
    where
        W >= 3,
        H >= 3,
    {
        let (u, change) = iterate(
            STEPS,
            |(u, _)| {
                let next = relaxed(u);
                let changes = map(|(a, b)| abs(a - b), zip(join(u), join(next)));
                (next, reduce(0.0, |most, x| max(most, x), changes))
            },
            (grid, 0.0),
        );
        (transpose(u), change)
    }

    /// Rows of three, the last of which may share elements with the one before it.
    pub fn in_rows<N, STEPS>(xs: [f32; N]) -> [f32; N]
    where
        N >= 3,
    {
        let step = |rows| map(|row| map(|x| 1.0 - x * 0.5, row), rows);
        joinOverlap(N, iterate(STEPS, step, splitOverlap(3, xs)))
    }
}

fn normalised(matrix: &Array2<f64>, v: &Array1<f64>) -> (Array1<f64>, f64) {
    let w = matrix.dot(v);
    let norm = w.dot(&w).sqrt();
    (w / norm, norm)
}

fn rod_of(p: &Array1<f64>) -> Array1<f64> {
    let at = |i: isize| if i < 0 { 0.0 } else { p.get(i as usize).copied().unwrap_or(0.0) };
    Array1::from_shape_fn(p.len(), |i| {
        let i = i as isize;
        3.0 * at(i) - at(i - 1) - at(i + 1)
    })
}

fn relaxed_of(u: &Array2<f64>) -> Array2<f64> {
    let (h, w) = u.dim();
    Array2::from_shape_fn((h, w), |(y, x)| match y == 0 || x == 0 || y + 1 == h || x + 1 == w {
        true => u[[y, x]],
        false => (u[[y - 1, x]] + u[[y + 1, x]] + u[[y, x - 1]] + u[[y, x + 1]]) / 4.0,
    })
}

pub const CASES: &[Case] = &[
    Case {
        program: power_iteration::program,
        largest: &[13, 5],
        range: NUMBERS,
        expected: |sizes, x| {
            let matrix = view::<Ix2>(&x[0]).to_owned();
            let start = (view::<Ix1>(&x[1]).to_owned(), 0.0);
            let (v, norm) = (0..sizes[1]).fold(start, |(v, _), _| normalised(&matrix, &v));
            vec![v.into_dyn(), ndarray::arr0(norm).into_dyn()]
        },
    },
    Case {
        program: residual::program,
        largest: &[37],
        range: (0.5, 1.0),
        expected: |_, x| {
            let (matrix, v) = (view::<Ix2>(&x[0]), view::<Ix1>(&x[1]));
            let w = matrix.dot(&v);
            let value = v.dot(&w) / v.dot(&v);
            let rest = &w - &(&v * value);
            vec![w.into_dyn(), ndarray::arr0(value).into_dyn(), rest.into_dyn()]
        },
    },
    Case {
        program: conjugate_gradients::program,
        largest: &[29, 6],
        range: (0.5, 1.0),
        expected: |sizes, x| {
            let b = view::<Ix1>(&x[0]).to_owned();
            let (mut solution, mut r, mut p) = (Array1::zeros(b.len()), b.clone(), b);
            for _ in 0..sizes[1] {
                let pulled = rod_of(&p);
                let alpha = r.dot(&r) / p.dot(&pulled);
                let left = &r - &(&pulled * alpha);
                let beta = left.dot(&left) / r.dot(&r);
                solution = solution + &p * alpha;
                p = &left + &(&p * beta);
                r = left;
            }
            one(solution)
        },
    },
    Case {
        program: jacobi::program,
        largest: &[17, 13, 6],
        range: NUMBERS,
        expected: |sizes, x| {
            let grid = view::<Ix2>(&x[0]).to_owned();
            one((0..sizes[2]).fold(grid, |u, _| relaxed_of(&u)))
        },
    },
    Case {
        program: jacobi_watched::program,
        largest: &[17, 13, 6],
        range: NUMBERS,
        expected: |sizes, x| {
            let grid = view::<Ix2>(&x[0]).to_owned();
            let (u, change) = (0..sizes[2]).fold((grid, 0.0), |(u, _), _| {
                let next = relaxed_of(&u);
                let change = u.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                (next, change)
            });
            vec![u.reversed_axes().into_dyn(), ndarray::arr0(change).into_dyn()]
        },
    },
    Case {
        program: in_rows::program,
        largest: &[23, 5],
        range: NUMBERS,
        expected: |sizes, x| {
            let xs = view::<Ix1>(&x[0]).to_owned();
            one((0..sizes[1]).fold(xs, |xs, _| 1.0 - xs * 0.5))
        },
    },
];
