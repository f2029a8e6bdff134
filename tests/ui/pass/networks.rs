// Layers beside convolutions, and networks of several layers.
use lift::prelude::*;

lift! {
    pub fn max_pool<P, C, H, W>(image: [[[f32; C]; P * W]; P * H]) -> [[[f32; C]; W]; H] {
        map2D(
            |window| reduce(
                repeat(C, f32::NEG_INFINITY),
                |best, pixel| map(|(m, x)| max(m, x), zip(best, pixel)),
                join(window),
            ),
            slideStrict2D((P, P), (P, P), image),
        )
    }

    /// Windows of 3 moved by 2, as AlexNet's.
    pub fn overlapping_pool<H, W>(image: [[f32; W]; H]) -> [[f32; (W - 1) / 2]; (H - 1) / 2]
    where
        H >= 3,
        W >= 3,
    {
        map2D(
            |window| reduce(f32::NEG_INFINITY, |m, x| max(m, x), join(window)),
            slide2D((3, 3), (2, 2), image),
        )
    }

    pub fn average_pool<P, H, W>(image: [[f32; P * W]; P * H]) -> [[f32; W]; H] {
        map2D(
            |tile| reduce(0.0, |acc, x| acc + x, join(tile)) / (P * P) as f32,
            split2D((P, P), image),
        )
    }

    pub fn global_pool<C, H, W>(image: [[[f32; C]; W]; H]) -> [f32; C] {
        let planes = transpose(join(image));
        map(|plane| reduce(0.0, |acc, x| acc + x, plane) / (H * W) as f32, planes)
    }

    pub fn dense<N, M>(weights: [[f32; N]; M], biases: [f32; M], xs: [f32; N]) -> [f32; M] {
        map(|(row, b)| reduce(b, |acc, (w, x)| acc + w * x, zip(row, xs)), zip(weights, biases))
    }

    pub fn batch_norm<C, H, W>(
        image: [[[f32; C]; W]; H],
        scale: [f32; C],
        shift: [f32; C],
        means: [f32; C],
        variances: [f32; C],
    ) -> [[[f32; C]; W]; H] {
        map2D(
            |pixel| map(
                |(x, g, b, m, v)| (x - m) / sqrt(v + f32::EPSILON) * g + b,
                zip(pixel, scale, shift, means, variances),
            ),
            image,
        )
    }

    pub fn layer_norm<B, N>(xss: [[f32; N]; B]) -> [[f32; N]; B] {
        map(
            |xs| {
                let mean = reduce(0.0, |acc, x| acc + x, xs) / N as f32;
                let variance = reduce(0.0, |acc, x| acc + (x - mean) * (x - mean), xs) / N as f32;
                map(|x| (x - mean) / sqrt(variance + 1e-5), xs)
            },
            xss,
        )
    }

    /// Doubles the picture, each pixel four times.
    pub fn upsample<H, W>(image: [[f32; W]; H]) -> [[f32; 2 * W]; 2 * H] {
        join(map(|row| repeat(2, join(map(|x| repeat(2, x), row))), image))
    }

    fn conv<C, K, H, W>(kernels: [[[[f32; C]; 3]; 3]; K], image: [[[f32; C]; W]; H]) -> [[[f32; K]; W]; H] {
        let windows = slide2D((3, 3), (1, 1), pad2D(1, 1, 1, 1, 0.0, image));
        map2D(|window| map(|kernel| max(0.0, dot(join2D(window), join2D(kernel))), kernels), windows)
    }

    /// conv → pool → conv → pool: a pyramid.
    pub fn pyramid<C, K, L, H, W>(
        first: [[[[f32; C]; 3]; 3]; K],
        second: [[[[f32; K]; 3]; 3]; L],
        image: [[[f32; C]; 4 * W]; 4 * H],
    ) -> [[[f32; L]; W]; H] {
        let half: [[[f32; K]; 2 * W]; 2 * H] = halve(conv(first, image));
        halve(conv(second, half))
    }

    fn halve<C, H, W>(image: [[[f32; C]; 2 * W]; 2 * H]) -> [[[f32; C]; W]; H] {
        map2D(
            |tile| map(|plane| reduce(f32::NEG_INFINITY, |m, x| max(m, x), plane), transpose(join(tile))),
            split2D((2, 2), image),
        )
    }

    /// The input goes past the layers.
    pub fn residual<C, H, W>(kernels: [[[[f32; C]; 3]; 3]; C], image: [[[f32; C]; W]; H]) -> [[[f32; C]; W]; H] {
        map3D(|(x, y)| max(0.0, x + y), zip3D(image, conv(kernels, conv(kernels, image))))
    }

    /// Channels side by side, as in DenseNet.
    pub fn dense_block<C, K, H, W>(
        kernels: [[[[f32; C]; 3]; 3]; K],
        image: [[[f32; C]; W]; H],
    ) -> [[[f32; C + K]; W]; H] {
        map2D(|(old, new)| concat(old, new), zip2D(image, conv(kernels, image)))
    }

    pub fn softmax<N>(xs: [f32; N]) -> [f32; N] {
        let largest = reduce(f32::NEG_INFINITY, |m, x| max(m, x), xs);
        let powers = map(|x| exp(x - largest), xs);
        let total = reduce(0.0, |acc, x| acc + x, powers);
        map(|x| x / total, powers)
    }

    pub fn matmul<N, M, K>(a: [[f32; K]; N], b: [[f32; M]; K]) -> [[f32; M]; N] {
        map(|row| map(|column| dot(row, column), transpose(b)), a)
    }

    pub fn batched_matmul<B, N, M, K>(a: [[[f32; K]; N]; B], b: [[[f32; M]; K]; B]) -> [[[f32; M]; N]; B] {
        map(|(x, y)| matmul(x, y), zip(a, b))
    }

    pub fn attention<Q, N, D, V>(queries: [[f32; D]; Q], keys: [[f32; D]; N], values: [[f32; V]; N]) -> [[f32; V]; Q] {
        let scores = map(|q| map(|k| dot(q, k) / sqrt(D as f32), keys), queries);
        matmul(map(softmax, scores), values)
    }

    /// The heads of a transformer side by side.
    pub fn heads<G, Q, D>(
        queries: [[f32; G * D]; Q],
        keys: [[f32; G * D]; Q],
        values: [[f32; G * D]; Q],
    ) -> [[f32; G * D]; Q] {
        let cut = |xss| transpose(map(|xs| split(D, xs), xss));
        let mixed = map(|(q, k, v)| attention(q, k, v), zip(cut(queries), cut(keys), cut(values)));
        map(join, transpose(mixed))
    }

    /// A step of an LSTM: the new state and the new memory.
    pub fn lstm<N, M>(
        weights: [[[f32; N + M]; M]; 4],
        biases: [[f32; M]; 4],
        xs: [f32; N],
        state: [f32; M],
        memory: [f32; M],
    ) -> ([f32; M], [f32; M]) {
        let sigmoid = |x| 1.0 / (1.0 + exp(-x));
        let inputs = concat(xs, state);
        let gates = transpose(map(|(w, b)| dense(w, b, inputs), zip(weights, biases)));
        let cells = map(
            |(gate, old)| {
                let gate = map(|(x, i)| if i == 2 { tanh(x) } else { sigmoid(x) }, zip(gate, generate(4, |i| i as i32)));
                // Input, forget, candidate, output.
                let pick = |n| reduce(0.0, |acc, (x, i)| if i == n { x } else { acc }, zip(gate, generate(4, |i| i as i32)));
                let new = pick(1) * old + pick(0) * pick(2);
                (pick(3) * tanh(new), new)
            },
            zip(gates, memory),
        );
        unzip(cells)
    }
}

pub fn main() {}
