// Every scalar type, conversions, literals, constants.
use lift::prelude::*;

lift! {
    pub fn halves(xs: [f16; 8]) -> [f16; 8] {
        map(|x| x * 0.5, xs)
    }

    pub fn singles(xs: [f32; 8]) -> [f32; 8] {
        map(|x| 2.0 * x + 1e-3, xs)
    }

    pub fn doubles(xs: [f64; 8]) -> [f64; 8] {
        map(|x| sin(x * consts::PI) + f64::EPSILON, xs)
    }

    pub fn bytes(xs: [u8; 8]) -> [u8; 8] {
        map(|x| if x > 127 { 255 } else { x * 2 }, xs)
    }

    pub fn signed_bytes(xs: [i8; 8]) -> [i8; 8] {
        map(|x| max(x, -128), xs)
    }

    pub fn shorts(xs: [i16; 8], ys: [u16; 8]) -> [i32; 8] {
        map(|(x, y)| x as i32 + y as i32, zip(xs, ys))
    }

    pub fn hashes(xs: [u32; 8]) -> [u32; 8] {
        map(|x| (x ^ (x >> 16)) * 0x45d9f3b & u32::MAX, xs)
    }

    pub fn longs(xs: [i64; 8], ys: [u64; 8]) -> [i64; 8] {
        map(|(x, y)| x % 1_000_000_007 - y as i64, zip(xs, ys))
    }

    pub fn masks(xs: [f32; 8], tests: [bool; 8]) -> [i32; 8] {
        map(|(x, t)| (t && !(x < 0.0)) as i32, zip(xs, tests))
    }

    pub fn quantise<N>(scale: f32, xs: [f32; N]) -> [i8; N] {
        map(|x| min(max(floor(x / scale + 0.5), -128.0), 127.0) as i8, xs)
    }

    /// Bytes in, bytes out, a wider type between.
    pub fn blend<N>(alpha: u8, xs: [u8; N], ys: [u8; N]) -> [u8; N] {
        let mix = |x, y| (x as u32 * alpha as u32 + y as u32 * (255 - alpha as u32)) / 255;
        map(|(x, y)| mix(x, y) as u8, zip(xs, ys))
    }

    /// The sum of products of small integers in a larger one.
    pub fn quantised_dot<N>(xs: [i8; N], ys: [i8; N]) -> i32 {
        reduce(0, |acc, (x, y)| acc + x as i32 * y as i32, zip(xs, ys))
    }

    pub fn functions(x: f32, y: f32) -> f32 {
        let a = abs(x) + exp(x) - ln(max(y, 1.0)) + tanh(x) * sqrt(abs(y));
        let b = sin(x) * cos(y) + ceil(x) - floor(y) + pow(abs(x), 1.5);
        fma(a, b, min(x, y))
    }

    pub fn methods(x: f32, y: f32) -> f32 {
        x.abs().sqrt().max(y).min(f32::MAX)
    }

    pub fn gauss<N>(sigma: f64) -> [f64; 2 * N + 1] {
        let weights = generate(2 * N + 1, |i| {
            let x = (i - N) as f64 / sigma;
            exp(-0.5 * x * x)
        });
        let total = reduce(0.0, |acc, w| acc + w, weights);
        map(|w| w / total, weights)
    }
}

pub fn main() {}
