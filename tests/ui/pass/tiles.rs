// Tiles: parts of the result computed together, from parts of the input that overlap.
use lift::prelude::*;

lift! {
    /// Tiles of T results, each from the T + K - 1 elements that it needs.
    pub fn overlapped<T, K, N>(kernel: [f32; K], xs: [f32; T * N + K - 1]) -> [f32; T * N] {
        let tiles = slide(T + K - 1, T, xs);
        join(map(|tile| map(|window| dot(window, kernel), slide(K, 1, tile)), tiles))
    }

    /// With a stride: tiles of T results take (T - 1) * S + K elements, and move by T * S.
    pub fn overlapped_strided<T, S, K, N>(kernel: [f32; K], xs: [f32; S * (T * N - 1) + K]) -> [f32; T * N] {
        let tiles = slide(S * (T - 1) + K, S * T, xs);
        join(map(|tile| map(|window| dot(window, kernel), slide(K, S, tile)), tiles))
    }

    /// In two dimensions.
    pub fn overlapped_2d<T, N, M>(
        kernel: [[f32; 3]; 3],
        image: [[f32; T * M + 2]; T * N + 2],
    ) -> [[f32; T * M]; T * N] {
        let tiles = slide2D((T + 2, T + 2), (T, T), image);
        untile2D(map2D(
            |tile| map2D(|window| dot(join(window), join(kernel)), slide2D((3, 3), (1, 1), tile)),
            tiles,
        ))
    }

    /// Winograd's tiles: 4 × 4 elements for 2 × 2 results.
    pub fn winograd_tiles<H, W>(image: [[f32; 2 * W + 2]; 2 * H + 2]) -> [[[[f32; 4]; 4]; W]; H] {
        slide2D((4, 4), (2, 2), image)
    }

    /// Winograd's F(2, 3) in one dimension: 4 products instead of 6.
    pub fn winograd<N>(kernel: [f32; 3], xs: [f32; 2 * N + 2]) -> [f32; 2 * N] {
        let input = [[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [0.0, -1.0, 1.0, 0.0], [0.0, 1.0, 0.0, -1.0]];
        let weights = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];
        let output = [[1.0, 1.0, 1.0, 0.0], [0.0, 1.0, -1.0, -1.0]];
        let product = |matrix, vector| map(|row| dot(row, vector), matrix);
        let transformed = product(weights, kernel);
        let results = map(
            |tile| product(output, map(|(x, w)| x * w, zip(product(input, tile), transformed))),
            slide(4, 2, xs),
        );
        join(results)
    }

    /// Tiles that do not overlap, and back.
    pub fn blocks<H, W>(image: [[f32; 8 * W]; 4 * H]) -> [[f32; 8 * W]; 4 * H] {
        untile2D(map2D(|tile| map2D(|x| x * 2.0, tile), split2D((4, 8), image)))
    }

    /// The rest that makes no whole tile is padded, and cut off again.
    pub fn padded<T, N>(xs: [f32; N]) -> [f32; N] {
        let whole = pad(0, T - 1 - (N + T - 1) % T, 0.0, xs);
        take(N, join(map(|tile| map(|x| x * 2.0, tile), split(T, whole))))
    }

    /// A matrix product in tiles.
    pub fn matmul<T, N, M, K>(a: [[f32; K]; T * N], b: [[f32; T * M]; K]) -> [[f32; T * M]; T * N] {
        let rows = split(T, a);
        let columns = split(T, transpose(b));
        untile2D(map(
            |band| map(|block| map(|row| map(|column| dot(row, column), block), band), columns),
            rows,
        ))
    }
}

pub fn main() {}
