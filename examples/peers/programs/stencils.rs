//! Stencils: each element from its neighbours, by weights that the program has.

use lift::prelude::*;

lift! {
    const BINOMIAL: [f32; 5] = [1.0, 4.0, 6.0, 4.0, 1.0];

    /// 5 × 5 binomial weights, summing to 1.
    pub fn gauss<H, W>(xs: [[f32; W]; H]) -> [[f32; W - 4]; H - 4]
    where
        H >= 5,
        W >= 5,
    {
        let weights = generate(5, |y| generate(5, |x| BINOMIAL[y] * BINOMIAL[x] / 256.0));
        map2D(
            |window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(join(window), join(weights))),
            slide2D((5, 5), (1, 1), xs),
        )
    }

    /// The mean of squares of so many elements a side.
    pub fn boxes<H, W, S>(xs: [[f32; W]; H]) -> [[f32; W - S + 1]; H - S + 1]
    where
        S >= 1,
        S <= H,
        S <= W,
    {
        map2D(
            |window| reduce(0.0, |acc, x| acc + x, join(window)) / (S * S) as f32,
            slide2D((S, S), (1, 1), xs),
        )
    }

    /// A step of heat's flow: an element and its four neighbours.
    pub fn heat2d<H, W>(xs: [[f32; W]; H]) -> [[f32; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
    {
        map2D(
            |w| w[1][1] + 0.125 * (w[0][1] + w[2][1] + w[1][0] + w[1][2] - 4.0 * w[1][1]),
            slide2D((3, 3), (1, 1), xs),
        )
    }

    /// A step of heat's flow: an element and its six neighbours.
    pub fn heat3d<D, H, W>(xs: [[[f32; W]; H]; D]) -> [[[f32; W - 2]; H - 2]; D - 2]
    where
        D >= 3,
        H >= 3,
        W >= 3,
    {
        map3D(
            |w| 0.25 * w[1][1][1] + 0.125 * (
                w[0][1][1] + w[2][1][1] + w[1][0][1] + w[1][2][1] + w[1][1][0] + w[1][1][2]
            ),
            slide3D((3, 3, 3), (1, 1, 1), xs),
        )
    }

    /// The neighbours of one dimension by weights that are given.
    pub fn fir<N, T>(taps: [f32; T], signal: [f32; N]) -> [f32; N - T + 1]
    where
        T <= N,
    {
        map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, taps)), slide(T, 1, signal))
    }
}
