// Strides, holes and tiles whose lengths are rounded; pixels sorted into channels and back.
use lift::prelude::*;

lift! {
    /// TensorFlow's `same` with a stride.
    pub fn same_strided<K, S, N>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N + S - 1) / S]
    where
        S <= K,
    {
        let total = max(((N + S - 1) / S - 1) * S + K - N, 0);
        map(|w| dot(w, kernel), slide(K, S, pad(total / 2, total - total / 2, 0.0, xs)))
    }

    /// The last window may go beyond the end.
    pub fn pool_rounded_up<K, S, N>(xs: [f32; N]) -> [f32; (N - K + S - 1) / S + 1]
    where
        K <= N,
        S <= K,
    {
        let windows = (N - K + S - 1) / S + 1;
        let padded = pad(0, (windows - 1) * S + K - N, f32::NEG_INFINITY, xs);
        map(|w| reduce(f32::NEG_INFINITY, |m, x| max(m, x), w), slide(K, S, padded))
    }

    pub fn dilated_2d<D, H, W>(kernel: [[f32; 3]; 3], image: [[f32; W]; H]) -> [[f32; W - 2 * D]; H - 2 * D]
    where
        2 * D + 1 <= W,
        2 * D + 1 <= H,
    {
        let size = 2 * D + 1;
        map2D(
            |window| {
                let picked = map(|row| join(slide(1, D, row)), join(slide(1, D, window)));
                dot(join(picked), join(kernel))
            },
            slide2D((size, size), (1, 1), image),
        )
    }

    pub fn transposed_2d<S, K, H, W>(
        kernel: [[f32; K]; K],
        image: [[f32; W]; H],
    ) -> [[f32; S * (W - 1) + K]; S * (H - 1) + K] {
        let wide = map(|row| join(map(|x| pad(0, S - 1, 0.0, repeat(1, x)), row)), image);
        let spread = join(map(|row| pad(0, S - 1, 0.0, repeat(1, row)), wide));
        let padded = pad2D(K - 1, K - S, K - 1, K - S, 0.0, spread);
        let turned = map(reverse, reverse(kernel));
        map2D(|w| dot(join(w), join(turned)), slide2D((K, K), (1, 1), padded))
    }

    /// Channels become pixels.
    pub fn pixel_shuffle<R, C, H, W>(image: [[[f32; C * R * R]; W]; H]) -> [[[f32; C]; R * W]; R * H] {
        let cut = map2D(|pixel| split(R, split(C, pixel)), image);
        // [H][W][R][R][C] → [H][R][W][R][C]
        join(map(|row| map(join, transpose(row)), cut))
    }

    /// A vision transformer's first layer sees patches.
    pub fn patches<P, C, H, W>(image: [[[f32; C]; P * W]; P * H]) -> [[f32; C * P * P]; H * W] {
        map(join2D, join(split2D((P, P), image)))
    }

    /// A step of a Fourier or Walsh transform.
    pub fn butterfly<N>(xs: [f32; 2 * N]) -> [f32; 2 * N] {
        let (low, high) = (take(N, xs), drop(N, xs));
        let (sums, differences) = unzip(map(|(a, b)| (a + b, a - b), zip(low, high)));
        concat(sums, differences)
    }

    pub fn upper_triangle<N>(xss: [[f32; N]; N]) -> [[f32; N]; N] {
        let numbers = generate(N, |i| i as i32);
        map(|(row, i)| map(|(x, j)| if j >= i { x } else { 0.0 }, zip(row, numbers)), zip(xss, numbers))
    }

    pub fn luma<H, W>(image: [[[u8; 3]; W]; H]) -> [[u8; W]; H] {
        map2D(|pixel| dot(map(|x| x as f32, pixel), [0.299, 0.587, 0.114]) as u8, image)
    }

    pub fn rows_rolled<R, H, W>(image: [[f32; W]; H]) -> [[f32; W]; H] {
        reorder(|i| (i + R) % H, image)
    }
}

pub fn main() {}
