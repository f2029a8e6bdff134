// Stencils, filters and the edges of pictures.
use lift::prelude::*;

lift! {
    pub fn jacobi<N>(xs: [f32; N]) -> [f32; N] {
        map(|w| reduce(0.0, |acc, x| acc + x, w) / 3.0, slide(3, 1, padClamp(1, 1, xs)))
    }

    /// Many steps.
    pub fn heat<STEPS, H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let weights = [[0.0, 0.1, 0.0], [0.1, 0.6, 0.1], [0.0, 0.1, 0.0]];
        iterate(
            STEPS,
            |now| map2D(|w| dot(join(w), join(weights)), slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, now))),
            image,
        )
    }

    /// A ring.
    pub fn circular<K, N>(kernel: [f32; K], xs: [f32; N]) -> [f32; N]
    where
        K <= N,
    {
        map(|w| dot(w, kernel), slide(K, 1, padWrap(0, K - 1, xs)))
    }

    pub fn mirrored<R, H, W>(image: [[f32; W]; H]) -> [[f32; W]; H]
    where
        R <= H,
        R <= W,
    {
        let size = 2 * R + 1;
        map2D(
            |w| reduce(0.0, |acc, x| acc + x, join(w)) / (size * size) as f32,
            slide2D((size, size), (1, 1), padMirror2D(R, R, R, R, image)),
        )
    }

    /// Rows first, then columns.
    pub fn separable<K, H, W>(kernel: [f32; K], image: [[f32; W]; H]) -> [[f32; W - K + 1]; H - K + 1]
    where
        K <= H,
        K <= W,
    {
        let rows = map(|row| map(|w| dot(w, kernel), slide(K, 1, row)), image);
        map(|band| map(|column| dot(column, kernel), transpose(band)), slide(K, 1, rows))
    }

    /// Sobel's gradient, and its direction as a number from 0 to 3.
    pub fn gradient<H, W>(image: [[f32; W]; H]) -> ([[f32; W]; H], [[u8; W]; H]) {
        let across = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
        let windows = slide2D((3, 3), (1, 1), padClamp2D(1, 1, 1, 1, image));
        let both = map2D(
            |w| {
                let (x, y) = (dot(join(w), join(across)), dot(join(w), join(transpose(across))));
                (sqrt(x * x + y * y), if abs(x) > abs(y) { 0u8 } else if x > 0.0 { 1 } else { 2 })
            },
            windows,
        );
        let (strengths, directions) = unzip(map(unzip, both));
        (strengths, directions)
    }

    /// Conway's life, on a torus.
    pub fn life<H, W>(board: [[u8; W]; H]) -> [[u8; W]; H] {
        map2D(
            |w| {
                let all = reduce(0, |acc, x| acc + x, join(w));
                let own = reduce(0, |acc, x| acc + x, join(pad2D(-1, -1, -1, -1, 0, w)));
                let others = all - own;
                if others == 3 || (others == 2 && own == 1) { 1 } else { 0 }
            },
            slide2D((3, 3), (1, 1), padWrap2D(1, 1, 1, 1, board)),
        )
    }

    /// Brighter and darker than all neighbours, as masks.
    pub fn extrema<N>(xs: [f32; N]) -> ([bool; N], [bool; N]) {
        let low = pad(1, 1, f32::NEG_INFINITY, xs);
        let high = pad(1, 1, f32::INFINITY, xs);
        let larger = map(|w| reduce(f32::NEG_INFINITY, |m, x| max(m, x), w), slide(3, 1, low));
        let smaller = map(|w| reduce(f32::INFINITY, |m, x| min(m, x), w), slide(3, 1, high));
        (map(|(x, m)| x >= m, zip(xs, larger)), map(|(x, m)| x <= m, zip(xs, smaller)))
    }

    /// A frame of black around a picture, and the picture without it.
    pub fn frame<H, W>(image: [[u8; W]; H]) -> [[u8; W + 4]; H + 4] {
        pad2D(2, 2, 2, 2, 0, image)
    }

    pub fn unframe<H, W>(image: [[u8; W + 4]; H + 4]) -> [[u8; W]; H] {
        pad2D(-2, -2, -2, -2, 0, image)
    }
}

pub fn main() {}
