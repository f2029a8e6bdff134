//! VGG-16's nine distinct convolution layers and the one program that computes them all.

use lift::prelude::*;

lift! {
    /// A convolution layer with 1 element of padding, channels last (GPGPU'20, listing 3).
    pub fn conv_layer<K, KH, KW, C, H, W>(
        const kernels: [[[[f32; C]; KW]; KH]; K],
        biases: [f32; K],
        input: [[[f32; C]; W]; H],
    ) -> [[[f32; K]; W - KW + 3]; H - KH + 3]
    where
        KH <= H + 2,
        KW <= W + 2,
    {
        let padded = pad2D(1, 1, 1, 1, 0.0, input);
        let windows = slide2D((KH, KW), (1, 1), padded);
        map2D(
            |window| map(
                |(kernel, bias)| reduce(
                    bias,
                    |acc, (x, w)| acc + x * w,
                    zip(join(join(window)), join(join(kernel))),
                ),
                zip(kernels, biases),
            ),
            windows,
        )
    }
}

/// Rows and columns of every kernel.
pub const KERNEL: usize = 3;

/// A layer: 3 × 3 kernels, stride 1, padding 1, a bias for each output channel.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Its position in the network, as in GPGPU'20, table 3.
    pub number: usize,
    pub inputs: usize,
    pub outputs: usize,
    /// Rows of the picture, and columns.
    pub side: usize,
}

pub const LAYERS: [Layer; 9] = [
    Layer { number: 0, inputs: 3, outputs: 64, side: 224 },
    Layer { number: 2, inputs: 64, outputs: 64, side: 224 },
    Layer { number: 5, inputs: 64, outputs: 128, side: 112 },
    Layer { number: 7, inputs: 128, outputs: 128, side: 112 },
    Layer { number: 10, inputs: 128, outputs: 256, side: 56 },
    Layer { number: 12, inputs: 256, outputs: 256, side: 56 },
    Layer { number: 17, inputs: 256, outputs: 512, side: 28 },
    Layer { number: 19, inputs: 512, outputs: 512, side: 28 },
    Layer { number: 24, inputs: 512, outputs: 512, side: 14 },
];

impl Layer {
    /// Additions and multiplications, those with padding included, as is usual.
    pub fn operations(&self) -> usize {
        2 * self.matrix() * self.outputs
    }

    /// Bytes of the arrays that any direct method must hold: input, weights, biases and output.
    pub fn minimum_bytes(&self) -> usize {
        let Layer { inputs, outputs, side, .. } = self;
        let weights = outputs * KERNEL * KERNEL * inputs;
        size_of::<f32>() * (side * side * inputs + weights + outputs + side * side * outputs)
    }

    /// Bytes with im2col: the same arrays and a matrix with a row for every window.
    pub fn im2col_bytes(&self) -> usize {
        self.minimum_bytes() + size_of::<f32>() * self.matrix()
    }

    /// Elements of the im2col matrix.
    fn matrix(&self) -> usize {
        self.side * self.side * KERNEL * KERNEL * self.inputs
    }
}

/// The arrays that a layer is run with.
pub struct Data {
    /// `[output channel][row][column][input channel]`
    pub kernels: Array4<f32>,
    pub biases: Array1<f32>,
    /// `[row][column][input channel]`
    pub input: Array3<f32>,
}

impl Data {
    /// Numbers evenly distributed over -1..1.
    pub fn random(layer: &Layer, seed: u64) -> Data {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut number = || rng.f32() * 2.0 - 1.0;
        Data {
            kernels: Array4::from_shape_simple_fn((layer.outputs, KERNEL, KERNEL, layer.inputs), &mut number),
            biases: Array1::from_shape_simple_fn(layer.outputs, &mut number),
            input: Array3::from_shape_simple_fn((layer.side, layer.side, layer.inputs), &mut number),
        }
    }
}
