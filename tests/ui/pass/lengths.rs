// One length in the many ways in which people write it.
use lift::prelude::*;

lift! {
    pub fn same<N>(xs: [f32; N]) -> [f32; (N + 2 - 3) / 1 + 1] {
        map(|w| reduce(0.0, |acc, x| acc + x, w), slide(3, 1, pad(1, 1, 0.0, xs)))
    }

    pub fn strided<K, S, N>(xs: [f32; N]) -> [[f32; K]; (N - K + S) / S]
    where
        K <= N,
    {
        slide(K, S, xs)
    }

    pub fn strided_otherwise<K, S, N>(xs: [f32; N]) -> [[f32; K]; (N - K) / S + 1]
    where
        N >= K,
    {
        slide(K, S, xs)
    }

    pub fn rows<N>(xs: [f32; 6 * N]) -> [[f32; 3]; N * 2] {
        split(3, xs)
    }

    pub fn half<N>(xs: [f32; N]) -> [f32; N / 2 + N % 2]
    where
        N >= 2,
    {
        drop(N / 2, xs)
    }

    pub fn rounded_up<N>(xs: [f32; N]) -> [[f32; 4]; (N + 3) / 4] {
        split(4, pad(0, (4 - N % 4) % 4, 0.0, xs))
    }

    pub fn matrix<N, M>(xss: [[f32; M]; N]) -> [f32; M * N] {
        join(xss)
    }

    pub fn cubes<N>(xs: [f32; N * N * N]) -> [[[f32; N]; N]; N] {
        split(N, split(N, xs))
    }

    pub fn shorter<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; min(N, M)] {
        map(|(x, y)| x + y, zip(take(min(N, M), xs), take(min(M, N), ys)))
    }

    pub fn longer<N, M>(xs: [f32; N], ys: [f32; M]) -> [f32; max(N, M)] {
        let (a, b) = (pad(0, max(N, M) - N, 0.0, xs), pad(0, max(N, M) - M, 0.0, ys));
        map(|(x, y)| x + y, zip(a, b))
    }

    pub fn interleaved<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N + N] {
        join(transpose(concat(split(N, xs), split(N, ys))))
    }

    pub fn rotated<R, N>(xs: [f32; N]) -> [f32; N] {
        reorder(|i| (i + R) % N, xs)
    }

    pub fn deinterleaved<N>(xs: [f32; 2 * N]) -> [f32; 2 * N] {
        reorder(stridedIndex(2), xs)
    }

    pub fn shuffled<H, W>(xs: [f32; H * W]) -> [f32; W * H] {
        reorder(|i| i % W + W * (i / W), xs)
    }

    pub fn divided<N, D>(xs: [f32; N]) -> [f32; N]
    where
        N % D == 0,
    {
        join(split(D, xs))
    }

    pub fn nothing<N>(xs: [f32; N]) -> [f32; 0] {
        take(0, xs)
    }
}

pub fn main() {}
