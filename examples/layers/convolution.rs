//! Convolutions of any kind as numbers, the arrays that they are run with, and what comes of these:
//! im2col and a matrix product in `f64`, which shares nothing with the compiler.

use ndarray::{Array1, Array2, Array3, Array4, ArrayD, ArrayView2, ArrayViewMut2, Axis, s};
use std::thread;

#[derive(Clone, Copy, Debug)]
pub struct Convolution {
    pub batch: usize,
    pub groups: usize,
    /// Channels of all groups.
    pub inputs: usize,
    pub outputs: usize,
    /// Rows of a picture, and columns.
    pub side: usize,
    /// Rows of a kernel, and columns.
    pub kernel: usize,
    pub stride: usize,
    pub dilation: usize,
    pub padding: usize,
}

impl Convolution {
    /// One picture, stride 1, no padding.
    pub fn new(inputs: usize, outputs: usize, side: usize, kernel: usize) -> Convolution {
        let (batch, groups, stride, dilation, padding) = (1, 1, 1, 1, 0);
        Convolution { batch, groups, inputs, outputs, side, kernel, stride, dilation, padding }
    }

    /// Products that each element of the result is the sum of.
    pub fn terms(&self) -> usize {
        self.inputs / self.groups * self.kernel * self.kernel
    }

    /// Rows of the result, and columns.
    pub fn output_side(&self) -> usize {
        (self.side + 2 * self.padding - self.dilation * (self.kernel - 1) - 1) / self.stride + 1
    }

    /// One of the sizes that programs are called with because no array tells them.
    pub fn size(&self, name: &str) -> Option<usize> {
        match name {
            "S" => Some(self.stride),
            "G" => Some(self.groups),
            "M" => Some(self.outputs / self.groups),
            "C" => Some(self.inputs / self.groups),
            _ => None,
        }
    }
}

/// The arrays that a convolution is run with.
pub struct Data {
    /// Axes `NCYX`.
    pub input: Array4<f32>,
    /// Axes `KCYX`, the channels those of a group.
    pub weights: Array4<f32>,
    pub biases: Array1<f32>,
}

impl Data {
    /// Numbers evenly distributed over -1..1; no biases where there are none.
    pub fn random(convolution: &Convolution, biased: bool, seed: u64) -> Data {
        let Convolution { batch, groups, inputs, outputs, side, kernel, .. } = *convolution;
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut number = || rng.f32() * 2.0 - 1.0;
        Data {
            input: Array4::from_shape_simple_fn((batch, inputs, side, side), &mut number),
            weights: Array4::from_shape_simple_fn((outputs, inputs / groups, kernel, kernel), &mut number),
            biases: Array1::from_shape_simple_fn(outputs, || if biased { number() } else { 0.0 }),
        }
    }

    /// The result, axes `NKYX`; rows of it are shared out to threads.
    pub fn convolved(&self, convolution: &Convolution) -> Array4<f64> {
        let Convolution { batch, outputs, padding, .. } = *convolution;
        let (_, channels, height, width) = self.input.dim();
        let mut padded = Array4::zeros((batch, channels, height + 2 * padding, width + 2 * padding));
        let inner = s![.., .., padding..padding + height, padding..padding + width];
        padded.slice_mut(inner).assign(&self.input.mapv(f64::from));
        let weights = self.weights.mapv(f64::from).into_shape_with_order((outputs, convolution.terms()));
        let weights = weights.unwrap_or_default();
        let side = convolution.output_side();
        // One row of the result after the other, each of all output channels.
        let mut rows = Array3::zeros((batch * side, outputs, side));
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let each = rows.len_of(Axis(0)).div_ceil(threads);
        thread::scope(|scope| {
            for (chunk, mut part) in rows.axis_chunks_iter_mut(Axis(0), each).enumerate() {
                let (padded, weights, biases) = (&padded, weights.view(), &self.biases);
                scope.spawn(move || {
                    for (row, result) in part.outer_iter_mut().enumerate() {
                        let at = chunk * each + row;
                        row_of(convolution, padded, weights, biases, [at / side, at % side], result);
                    }
                });
            }
        });
        let result = rows.into_shape_with_order((batch, side, outputs, side)).unwrap_or_default();
        result.permuted_axes([0, 2, 1, 3])
    }
}

/// A row of the result, for each output channel.
fn row_of(
    convolution: &Convolution,
    padded: &Array4<f64>,
    weights: ArrayView2<f64>,
    biases: &Array1<f32>,
    [image, y]: [usize; 2],
    mut result: ArrayViewMut2<f64>,
) {
    let Convolution { groups, inputs, outputs, kernel, stride, dilation, .. } = *convolution;
    let (channels, outputs, side) = (inputs / groups, outputs / groups, result.ncols());
    for group in 0..groups {
        // A column for every window.
        let matrix = Array2::from_shape_fn((convolution.terms(), side), |(term, x)| {
            let (c, ky, kx) = (term / (kernel * kernel), term / kernel % kernel, term % kernel);
            padded[[image, group * channels + c, y * stride + ky * dilation, x * stride + kx * dilation]]
        });
        let own = group * outputs..(group + 1) * outputs;
        result.slice_mut(s![own.clone(), ..]).assign(&weights.slice(s![own, ..]).dot(&matrix));
    }
    for (mut row, bias) in result.outer_iter_mut().zip(biases) {
        row += f64::from(*bias);
    }
}

/// An array with its axes in another order. Of an axis that is left out there is only one element.
pub fn in_order<T: Clone>(array: ArrayD<T>, axes: &str, wanted: &str) -> ArrayD<T> {
    let (mut array, mut left) = (array, axes.to_string());
    while let Some(k) = left.chars().position(|axis| !wanted.contains(axis)) {
        array = array.index_axis_move(Axis(k), 0);
        left.remove(k);
    }
    let order: Vec<usize> = wanted.chars().filter_map(|axis| left.find(axis)).collect();
    array.permuted_axes(order).as_standard_layout().into_owned()
}

#[cfg(test)]
mod tests {
    use super::{Convolution, Data, in_order};
    use ndarray::{Array, Array1, Array4, array};

    /// Rows 1 2 / 3 4; the kernel takes the element itself and a tenth of its right neighbour.
    #[test]
    fn as_computed_by_hand() {
        let mut weights = Array4::zeros((1, 1, 3, 3));
        weights[[0, 0, 1, 1]] = 1.0;
        weights[[0, 0, 1, 2]] = 0.1;
        let input = array![[[[1.0, 2.0], [3.0, 4.0]]]];
        let data = Data { input, weights, biases: Array1::ones(1) };
        let convolution = Convolution { padding: 1, ..Convolution::new(1, 1, 2, 3) };
        let expected = array![[[[2.2], [3.0]], [[4.4], [5.0]]]].permuted_axes([0, 3, 1, 2]);
        let off = (data.convolved(&convolution) - expected).mapv(f64::abs).sum();
        assert!(off < 1e-6, "{off}");
    }

    /// As the definition says, with everything that there is at once.
    #[test]
    fn as_the_definition_says() {
        let convolution = Convolution {
            batch: 2,
            groups: 3,
            stride: 2,
            dilation: 3,
            padding: 2,
            ..Convolution::new(6, 9, 11, 3)
        };
        let data = Data::random(&convolution, true, 7);
        let result = data.convolved(&convolution);
        assert_eq!(result.dim(), (2, 9, 5, 5));
        for ((n, k, y, x), value) in result.indexed_iter() {
            let mut sum = f64::from(data.biases[k]);
            for (c, ky, kx) in ndarray::indices((2, 3, 3)) {
                let (row, column) = ((2 * y + 3 * ky).wrapping_sub(2), (2 * x + 3 * kx).wrapping_sub(2));
                if let Some(input) = data.input.get([n, k / 3 * 2 + c, row, column]) {
                    sum += f64::from(*input) * f64::from(data.weights[[k, c, ky, kx]]);
                }
            }
            assert!((sum - value).abs() < 1e-12, "{sum} {value}");
        }
    }

    #[test]
    fn axes_are_put_in_order() {
        let array = Array::from_iter(0..6).into_shape_with_order((1, 2, 3)).expect("six").into_dyn();
        let turned = in_order(array, "NKY", "YK");
        assert_eq!(turned, array![[0, 3], [1, 4], [2, 5]].into_dyn());
    }
}
