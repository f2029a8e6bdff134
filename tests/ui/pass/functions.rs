// Functions that call functions, blocks, shadowing, lambdas by name.
use lift::prelude::*;

lift! {
    pub fn pipeline<N>(xs: [f32; N]) -> [f32; N] {
        let xs = map(square, xs);
        let xs = map(|x| { let x = x + 1.0; let x = x * 0.5; x }, xs);
        let scale = { let largest = reduce(0.0, |m, x| max(m, x), xs); 1.0 / (largest + 1.0) };
        map(|x| x * scale, xs)
    }

    fn square(x: f32) -> f32 {
        x * x
    }

    /// Named where it is used often.
    pub fn sigmoids<N>(xs: [f32; N], ys: [f32; N]) -> ([f32; N], [f32; N]) {
        let sigmoid = |x| 1.0 / (1.0 + exp(-x));
        (map(sigmoid, xs), map(|y| sigmoid(sigmoid(y)), ys))
    }

    /// Lambdas that use lambdas, and what is around them.
    pub fn affine<N>(a: f32, b: f32, xs: [f32; N]) -> [f32; N] {
        let scale = |x| a * x;
        let shift = |x| scale(x) + b;
        let twice = |xs| map(shift, map(shift, xs));
        twice(xs)
    }

    /// Primitives and scalar functions by name.
    pub fn by_name<H, W>(xss: [[f32; W]; H]) -> [[f32; H]; W] {
        transpose(map(reverse, map2D(sqrt, map2D(abs, xss))))
    }

    pub fn tuples<N>(xs: [f32; N], ys: [i32; N], zs: [bool; N]) -> [f32; N] {
        map(|(x, (y, z))| if z { x } else { y as f32 }, zip(xs, zip(ys, zs)))
    }

    pub fn fields<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|p| p.0 * p.1 - (p.1, p.0).0, zip(xs, ys))
    }

    pub fn several<N>(xs: [f32; N]) -> (f32, [f32; N], [[f32; 2]; N]) {
        let sum = reduce(0.0, |acc, x| acc + x, xs);
        (sum, map(|x| x / sum, xs), map(|x| repeat(2, x), xs))
    }

    pub fn annotated<N>(xs: [i32; N]) -> i64 {
        let wide: [i64; N] = map(|x: i32| -> i64 { x as i64 }, xs);
        let (sum, count): (i64, i64) = reduce((0, 0), |(s, n), x| (s + x, n + 1), wide);
        sum / count
    }

    /// Sizes have names too.
    pub fn middle<N>(xs: [f32; 4 * N]) -> [f32; 2 * N] {
        let quarter = N;
        let half = 2 * quarter;
        take(half, drop(quarter, xs))
    }

    /// Constant arrays.
    pub fn emboss<H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        let kernel = [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]];
        stencil(kernel, image)
    }

    fn stencil<KH, KW, H, W>(
        const kernel: [[f32; KW]; KH],
        image: [[f32; W]; H],
    ) -> [[f32; W]; H] {
        let (left, top) = (KW / 2, KH / 2);
        let padded = pad2D(KW / 2, KW - KW / 2 - 1, KH / 2, KH - KH / 2 - 1, 0.0, image);
        map2D(|w| dot(join(w), join(kernel)), slide2D((KH, KW), (1, 1), padded))
    }

    /// The callee's sizes are the caller's expressions.
    pub fn pyramid_of_means<N>(xs: [f32; 8 * N]) -> [f32; N] {
        means(means(means(xs)))
    }

    fn means<N>(xs: [f32; 2 * N]) -> [f32; N] {
        map(|pair| reduce(0.0, |acc, x| acc + x, pair) * 0.5, split(2, xs))
    }

    pub fn choose(x: f32) -> f32 {
        if x < 0.0 {
            -1.0
        } else if x == 0.0 {
            0.0
        } else {
            1.0
        }
    }

    pub fn conditions_on_sizes<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| if N > 100 && N % 2 == 0 { x } else { x / N as f32 }, xs)
    }
}

pub fn main() {
    let doubled = lift!(|xs: [f32; N]| -> [f32; N] { map(|x| x + x, xs) });
    let _ = doubled;
}
