//! Stencils: a weighted sum of neighbours, and heat spreading in two and three dimensions, with
//! every way of padding.

use super::{Case, NUMBERS, one, scalar, view};
use lift::prelude::*;
use ndarray::{Array1, Array2, Array3, ArrayD, ArrayView2, ArrayView3, Ix2};

lift! {
    /// GPGPU'20, listing 1.
    pub fn stencil_2d<W, H>(weights: [[f32; 3]; 3], input: [[f32; W]; H]) -> [[f32; W - 2]; H - 2]
    where
        W >= 3,
        H >= 3,
    {
        map2D(
            |neighborhood| reduce(0.0, |acc, (l, r)| acc + l * r, zip(join(neighborhood), join(weights))),
            slide2D((3, 3), (1, 1), input),
        )
    }
}

lift! {
    /// One step of heat spreading through a plate that has a frame of one element around it.
    fn plate<W, H>(alpha: f32, framed: [[f32; W + 2]; H + 2]) -> [[f32; W]; H] {
        let laplacian = |window| reduce(
            0.0,
            |acc, (x, w)| acc + x * w,
            zip(join(window), join([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])),
        );
        map2D(
            |(x, window)| x + alpha * laplacian(window),
            zip2D(pad2D(-1, -1, -1, -1, 0.0, framed), slide2D((3, 3), (1, 1), framed)),
        )
    }

    /// Cold all around.
    pub fn heat_2d<W, H>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        plate(alpha, pad2D(1, 1, 1, 1, 0.0, input))
    }

    /// No heat leaves.
    pub fn heat_2d_clamp<W, H>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        plate(alpha, padClamp2D(1, 1, 1, 1, input))
    }

    pub fn heat_2d_mirror<W, H>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        plate(alpha, padMirror2D(1, 1, 1, 1, input))
    }

    /// A torus.
    pub fn heat_2d_wrap<W, H>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        plate(alpha, padWrap2D(1, 1, 1, 1, input))
    }

    /// Several steps.
    pub fn heat_2d_steps<W, H, STEPS>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        iterate(STEPS, |u| plate(alpha, padClamp2D(1, 1, 1, 1, u)), input)
    }

    /// Three steps, and a number of steps that is known.
    pub fn heat_2d_three<W, H>(alpha: f32, input: [[f32; W]; H]) -> [[f32; W]; H] {
        iterate(3, |u| plate(alpha, pad2D(1, 1, 1, 1, 0.0, u)), input)
    }
}

lift! {
    /// One step in a block: each of the three directions by itself.
    fn block<W, H, D>(alpha: f32, input: [[[f32; W]; H]; D], framed: [[[f32; W + 2]; H + 2]; D + 2]) -> [[[f32; W]; H]; D] {
        let weights = [
            [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
            [[0.0, 1.0, 0.0], [1.0, -6.0, 1.0], [0.0, 1.0, 0.0]],
            [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
        ];
        map3D(
            |(x, window)| x + alpha * reduce(
                0.0,
                |acc, (y, w)| acc + y * w,
                zip(join2D(window), join2D(weights)),
            ),
            zip3D(input, slide3D((3, 3, 3), (1, 1, 1), framed)),
        )
    }

    pub fn heat_3d<W, H, D>(alpha: f32, input: [[[f32; W]; H]; D]) -> [[[f32; W]; H]; D] {
        block(alpha, input, pad3D(1, 1, 1, 1, 1, 1, 0.0, input))
    }

    pub fn heat_3d_clamp<W, H, D>(alpha: f32, input: [[[f32; W]; H]; D]) -> [[[f32; W]; H]; D] {
        block(alpha, input, padClamp3D(1, 1, 1, 1, 1, 1, input))
    }

    pub fn heat_3d_mirror<W, H, D>(alpha: f32, input: [[[f32; W]; H]; D]) -> [[[f32; W]; H]; D] {
        block(alpha, input, padMirror3D(1, 1, 1, 1, 1, 1, input))
    }

    pub fn heat_3d_wrap<W, H, D>(alpha: f32, input: [[[f32; W]; H]; D]) -> [[[f32; W]; H]; D] {
        block(alpha, input, padWrap3D(1, 1, 1, 1, 1, 1, input))
    }
}

lift! {
    /// The sum of a wide neighbourhood: padding of more than one element, different on each side.
    pub fn smear_mirror<N, L, R>(xs: [f32; N]) -> [f32; N]
    where
        L <= N,
        R <= N,
    {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(L + R + 1, 1, padMirror(L, R, xs)))
    }

    pub fn smear_wrap<N, L, R>(xs: [f32; N]) -> [f32; N]
    where
        L <= N,
        R <= N,
    {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(L + R + 1, 1, padWrap(L, R, xs)))
    }

    pub fn smear_clamp<N, L, R>(xs: [f32; N]) -> [f32; N] {
        map(|window| reduce(0.0, |acc, x| acc + x, window), slide(L + R + 1, 1, padClamp(L, R, xs)))
    }
}

pub const CASES: &[Case] = &[
    Case { program: stencil_2d::program, largest: &[19, 17], range: NUMBERS, expected: weighted },
    Case {
        program: heat_2d::program,
        largest: &[13, 17],
        range: NUMBERS,
        expected: |_, x| plates(x, 1, zero),
    },
    Case {
        program: heat_2d_clamp::program,
        largest: &[17, 13],
        range: NUMBERS,
        expected: |_, x| plates(x, 1, clamp),
    },
    Case {
        program: heat_2d_mirror::program,
        largest: &[13, 11],
        range: NUMBERS,
        expected: |_, x| plates(x, 1, mirror),
    },
    Case {
        program: heat_2d_wrap::program,
        largest: &[11, 19],
        range: NUMBERS,
        expected: |_, x| plates(x, 1, wrap),
    },
    Case {
        program: heat_2d_steps::program,
        largest: &[9, 11, 5],
        range: NUMBERS,
        expected: |n, x| plates(x, n[2], clamp),
    },
    Case {
        program: heat_2d_three::program,
        largest: &[11, 9],
        range: NUMBERS,
        expected: |_, x| plates(x, 3, zero),
    },
    Case { program: heat_3d::program, largest: &[7, 6, 5], range: NUMBERS, expected: |_, x| blocks(x, zero) },
    Case {
        program: heat_3d_clamp::program,
        largest: &[5, 7, 6],
        range: NUMBERS,
        expected: |_, x| blocks(x, clamp),
    },
    Case {
        program: heat_3d_mirror::program,
        largest: &[6, 5, 7],
        range: NUMBERS,
        expected: |_, x| blocks(x, mirror),
    },
    Case {
        program: heat_3d_wrap::program,
        largest: &[5, 5, 7],
        range: NUMBERS,
        expected: |_, x| blocks(x, wrap),
    },
    Case {
        program: smear_mirror::program,
        largest: &[23, 7, 7],
        range: NUMBERS,
        expected: |n, x| smeared(n, x, mirror),
    },
    Case {
        program: smear_wrap::program,
        largest: &[23, 7, 7],
        range: NUMBERS,
        expected: |n, x| smeared(n, x, wrap),
    },
    Case {
        program: smear_clamp::program,
        largest: &[23, 7, 7],
        range: NUMBERS,
        expected: |n, x| smeared(n, x, clamp),
    },
];

fn weighted(_: &[usize], x: &[ArrayD<f64>]) -> Vec<ArrayD<f64>> {
    let (weights, input): (ArrayView2<f64>, ArrayView2<f64>) = (view(&x[0]), view(&x[1]));
    let (h, w) = input.dim();
    one(Array2::from_shape_fn((h - 2, w - 2), |(y, x)| {
        let mut sum = 0.0;
        for i in 0..3 {
            for j in 0..3 {
                sum += input[[y + i, x + j]] * weights[[i, j]];
            }
        }
        sum
    }))
}

/// Which element stands for element `i` of `n`, if any does.
type Beyond = fn(i64, i64) -> Option<i64>;

fn zero(i: i64, n: i64) -> Option<i64> {
    (0..n).contains(&i).then_some(i)
}

fn clamp(i: i64, n: i64) -> Option<i64> {
    Some(i.clamp(0, n - 1))
}

fn mirror(i: i64, n: i64) -> Option<i64> {
    Some(if i < 0 {
        -i - 1
    } else if i >= n {
        2 * n - i - 1
    } else {
        i
    })
}

fn wrap(i: i64, n: i64) -> Option<i64> {
    Some((i + n) % n)
}

fn plates(x: &[ArrayD<f64>], steps: usize, beyond: Beyond) -> Vec<ArrayD<f64>> {
    let alpha = scalar(&x[0]);
    let mut heat = view::<Ix2>(&x[1]).to_owned();
    for _ in 0..steps {
        heat = plate_step(alpha, heat.view(), beyond);
    }
    one(heat)
}

fn plate_step(alpha: f64, heat: ArrayView2<f64>, beyond: Beyond) -> Array2<f64> {
    let (h, w) = heat.dim();
    let at = |y: i64, x: i64| match (beyond(y, h as i64), beyond(x, w as i64)) {
        (Some(y), Some(x)) => heat[[y as usize, x as usize]],
        _ => 0.0,
    };
    Array2::from_shape_fn((h, w), |(y, x)| {
        let (y, x) = (y as i64, x as i64);
        at(y, x) + alpha * (at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4.0 * at(y, x))
    })
}

fn blocks(x: &[ArrayD<f64>], beyond: Beyond) -> Vec<ArrayD<f64>> {
    let alpha = scalar(&x[0]);
    let heat: ArrayView3<f64> = view(&x[1]);
    let (d, h, w) = heat.dim();
    let at = |z: i64, y: i64, x: i64| match (beyond(z, d as i64), beyond(y, h as i64), beyond(x, w as i64)) {
        (Some(z), Some(y), Some(x)) => heat[[z as usize, y as usize, x as usize]],
        _ => 0.0,
    };
    one(Array3::from_shape_fn((d, h, w), |(z, y, x)| {
        let (z, y, x) = (z as i64, y as i64, x as i64);
        let mut neighbours = at(z - 1, y, x) + at(z + 1, y, x);
        neighbours += at(z, y - 1, x) + at(z, y + 1, x);
        neighbours += at(z, y, x - 1) + at(z, y, x + 1);
        at(z, y, x) + alpha * (neighbours - 6.0 * at(z, y, x))
    }))
}

fn smeared(sizes: &[usize], x: &[ArrayD<f64>], beyond: Beyond) -> Vec<ArrayD<f64>> {
    let [n, l, r] = sizes else { unreachable!() };
    let (n, l, r) = (*n as i64, *l as i64, *r as i64);
    let element = |i: usize| {
        let mut sum = 0.0;
        for j in i as i64 - l..=i as i64 + r {
            sum += beyond(j, n).map_or(0.0, |j| x[0][[j as usize]]);
        }
        sum
    };
    one(Array1::from_shape_fn(n as usize, element))
}
