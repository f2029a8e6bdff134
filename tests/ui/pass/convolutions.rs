// Convolutions as they are written down in frameworks, the sizes symbolic.
use lift::prelude::*;

lift! {
    /// AlexNet's first layer: windows of 11 × 11, moved by 4.
    pub fn alexnet_first(
        kernels: [[[[f32; 3]; 11]; 11]; 96],
        biases: [f32; 96],
        image: [[[f32; 3]; 227]; 227],
    ) -> [[[f32; 96]; 55]; 55] {
        let windows = slide2D((11, 11), (4, 4), image);
        map2D(|window| map(|(k, b)| relu(b + weigh(window, k)), zip(kernels, biases)), windows)
    }

    /// The same with windows that do not cover the whole picture.
    pub fn alexnet_uncovered(
        kernels: [[[[f32; 3]; 11]; 11]; 96],
        image: [[[f32; 3]; 224]; 224],
    ) -> [[[f32; 96]; 54]; 54] {
        map2D(|window| map(|k| weigh(window, k), kernels), slide2D((11, 11), (4, 4), image))
    }

    /// Every size a variable, the stride too.
    pub fn strided<K, KH, KW, S, C, H, W>(
        kernels: [[[[f32; C]; KW]; KH]; K],
        image: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; (W - KW) / S + 1]; (H - KH) / S + 1]
    where
        KH <= H,
        KW <= W,
    {
        map2D(|window| map(|k| weigh(window, k), kernels), slide2D((KH, KW), (S, S), image))
    }

    /// Padding, stride and all, as a framework's documentation states the output's size.
    pub fn framework<K, KH, KW, P, S, C, H, W>(
        kernels: [[[[f32; C]; KW]; KH]; K],
        image: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; (W + 2 * P - KW) / S + 1]; (H + 2 * P - KH) / S + 1]
    where
        KH <= H + 2 * P,
        KW <= W + 2 * P,
    {
        let padded = pad2D(P, P, P, P, 0.0, image);
        map2D(|window| map(|k| weigh(window, k), kernels), slide2D((KH, KW), (S, S), padded))
    }

    /// The result is as large as the picture.
    pub fn same<K, R, C, H, W>(
        kernels: [[[[f32; C]; 2 * R + 1]; 2 * R + 1]; K],
        image: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W]; H] {
        let windows = slide2D((2 * R + 1, 2 * R + 1), (1, 1), pad2D(R, R, R, R, 0.0, image));
        map2D(|window| map(|k| weigh(window, k), kernels), windows)
    }

    /// Channels first.
    pub fn channels_first<K, C, KH, KW, H, W>(
        kernels: [[[[f32; KW]; KH]; C]; K],
        image: [[[f32; W]; H]; C],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; K]
    where
        KH <= H,
        KW <= W,
    {
        let planes = map(|plane| slide2D((KH, KW), (1, 1), plane), image);
        // [C][H'][W'][KH][KW] → [H'][W'][C][KH][KW]
        let windows = map(transpose, transpose(planes));
        map(|kernel| map2D(|window| dot(join2D(window), join2D(kernel)), windows), kernels)
    }

    /// A batch of pictures.
    pub fn batched<B, K, C, H, W>(
        kernels: [[[[f32; C]; 3]; 3]; K],
        images: [[[[f32; C]; W]; H]; B],
    ) -> [[[[f32; K]; W]; H]; B] {
        map(
            |image| {
                let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, image));
                map2D(|window| map(|k| weigh(window, k), kernels), windows)
            },
            images,
        )
    }

    /// One filter for each channel.
    pub fn depthwise<C, KH, KW, H, W>(
        kernels: [[[f32; KW]; KH]; C],
        image: [[[f32; W]; H]; C],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; C]
    where
        KH <= H,
        KW <= W,
    {
        map(
            |(kernel, plane)| map2D(
                |window| dot(join(window), join(kernel)),
                slide2D((KH, KW), (1, 1), plane),
            ),
            zip(kernels, image),
        )
    }

    /// Windows of one pixel: a matrix product over the channels.
    pub fn pointwise<K, C, H, W>(kernels: [[f32; C]; K], image: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        map2D(|pixel| map(|kernel| dot(pixel, kernel), kernels), image)
    }

    /// MobileNet's block: one after the other.
    pub fn separable<K, C, H, W>(
        depth: [[[f32; 3]; 3]; C],
        point: [[f32; C]; K],
        image: [[[f32; W]; H]; C],
    ) -> [[[f32; K]; W - 2]; H - 2]
    where
        H >= 3,
        W >= 3,
    {
        let filtered = depthwise(depth, image);
        pointwise(point, map(transpose, transpose(filtered)))
    }

    /// G groups of channels that do not see each other.
    pub fn grouped<G, K, C, KH, KW, H, W>(
        kernels: [[[[f32; C]; KW]; KH]; G * K],
        image: [[[f32; G * C]; W]; H],
    ) -> [[[f32; G * K]; W - KW + 1]; H - KH + 1]
    where
        KH <= H,
        KW <= W,
    {
        let groups = split(K, kernels);
        map2D(
            |window| {
                let parts = map2D(|pixel| split(C, pixel), window);
                // [KH][KW][G][C] → [G][KH][KW][C]
                let by_group = transpose(map(transpose, parts));
                join(map(|(ks, part)| map(|k| weigh(part, k), ks), zip(groups, by_group)))
            },
            slide2D((KH, KW), (1, 1), image),
        )
    }

    /// Holes in the kernel: of larger windows, every D-th element.
    pub fn dilated<K, D, N>(kernel: [f32; K], xs: [f32; N]) -> [f32; N - D * (K - 1)]
    where
        D * (K - 1) + 1 <= N,
    {
        map(
            |window| dot(map(|w| reduce(0.0, |_, x| x, w), slide(1, D, window)), kernel),
            slide(D * (K - 1) + 1, 1, xs),
        )
    }

    /// Zeros between the elements, then a convolution.
    pub fn transposed<K, S, N>(kernel: [f32; K], xs: [f32; N]) -> [f32; S * N + K - 1] {
        let spread = join(map(|x| concat(repeat(1, x), repeat(S - 1, 0.0)), xs));
        map(|window| dot(window, reverse(kernel)), slide(K, 1, pad(K - 1, K - 1, 0.0, spread)))
    }

    /// Through a matrix of all windows.
    pub fn im2col<K, KH, KW, C, H, W>(
        kernels: [[[[f32; C]; KW]; KH]; K],
        image: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - KW + 1]; H - KH + 1]
    where
        KH <= H,
        KW <= W,
    {
        let columns = map(join2D, join(slide2D((KH, KW), (1, 1), image)));
        let rows = map(join2D, kernels);
        split(W - KW + 1, map(|column| map(|row| dot(column, row), rows), columns))
    }

    /// A volume.
    pub fn volume<KD, KH, KW, D, H, W>(
        kernel: [[[f32; KW]; KH]; KD],
        volume: [[[f32; W]; H]; D],
    ) -> [[[f32; W - KW + 1]; H - KH + 1]; D - KD + 1]
    where
        KD <= D,
        KH <= H,
        KW <= W,
    {
        map3D(|window| dot(join2D(window), join2D(kernel)), slide3D((KD, KH, KW), (1, 1, 1), volume))
    }

    fn weigh<KH, KW, C>(window: [[[f32; C]; KW]; KH], kernel: [[[f32; C]; KW]; KH]) -> f32 {
        reduce(0.0, |acc, (x, w)| acc + x * w, zip(join2D(window), join2D(kernel)))
    }

    fn relu(x: f32) -> f32 {
        max(x, 0.0)
    }
}

pub fn main() {}
