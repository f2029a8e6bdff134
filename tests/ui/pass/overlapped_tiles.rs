// Overlapped tiling of a strided convolution, by a tile that the caller or the tuner chooses.
use lift::prelude::*;

lift! {
    /// Overlapped tiling of a strided convolution: `T` outputs from `(T - 1) * S + K` inputs.
    pub fn tiled<N, K, S, T>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K + S) / S]
    where K <= N, (N - K + S) / S % T == 0, S <= K, (N - K) % S == 0
    {
        let tiles = slide((T - 1) * S + K, T * S, xs);
        join(map(|tile| map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, kernel)), slide(K, S, tile)), tiles))
    }
    pub fn tuned<N, K, S, tune T: 1..=64>(kernel: [f32; K], xs: [f32; N]) -> [f32; (N - K + S) / S]
    where K <= N
    {
        let tiles = slide((T - 1) * S + K, T * S, xs);
        join(map(|tile| map(|window| reduce(0.0, |acc, (x, w)| acc + x * w, zip(window, kernel)), slide(K, S, tile)), tiles))
    }
}

pub fn main() {
    assert_eq!(tiled::program().result(), tuned::program().result());
}
