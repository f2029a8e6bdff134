//! The same convolution as a plain loop nest in `f64`, which shares nothing with the compiler.

use crate::layers::Data;
use ndarray::{Array1, Array2, Array3, Array4, ArrayView3, ArrayViewMut3, Axis, s};
use std::thread;

/// A convolution with stride 1 and 1 element of padding; rows are shared out to threads.
pub fn conv(data: &Data) -> Array3<f64> {
    let (height, width, channels) = data.input.dim();
    let (outputs, kernel_height, kernel_width, _) = data.kernels.dim();
    let mut padded = Array3::zeros((height + 2, width + 2, channels));
    padded.slice_mut(s![1..=height, 1..=width, ..]).assign(&data.input.mapv(f64::from));
    // Output channels innermost, so that the innermost loop runs along memory.
    let weights = data.kernels.mapv(f64::from).permuted_axes([1, 2, 3, 0]);
    let weights = weights.as_standard_layout().into_owned();
    let biases = data.biases.mapv(f64::from);

    let mut output = Array3::zeros((height + 3 - kernel_height, width + 3 - kernel_width, outputs));
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let rows = output.len_of(Axis(0)).div_ceil(threads);
    thread::scope(|scope| {
        for (chunk, part) in output.axis_chunks_iter_mut(Axis(0), rows).enumerate() {
            let (padded, weights, biases) = (&padded, &weights, &biases);
            scope.spawn(move || conv_rows(part, padded.slice(s![chunk * rows.., .., ..]), weights, biases));
        }
    });
    output
}

/// Output rows, of which the first takes the first rows of `padded`.
fn conv_rows(
    mut output: ArrayViewMut3<f64>,
    padded: ArrayView3<f64>,
    weights: &Array4<f64>,
    biases: &Array1<f64>,
) {
    let (kernel_height, kernel_width, channels, outputs) = weights.dim();
    for (y, mut row) in output.outer_iter_mut().enumerate() {
        let mut sums = Array2::from_shape_fn((row.nrows(), outputs), |(_, k)| biases[k]);
        for ky in 0..kernel_height {
            for kx in 0..kernel_width {
                for c in 0..channels {
                    let weights = weights.slice(s![ky, kx, c, ..]);
                    for (x, mut sums) in sums.outer_iter_mut().enumerate() {
                        sums.scaled_add(padded[[y + ky, x + kx, c]], &weights);
                    }
                }
            }
        }
        row.assign(&sums);
    }
}

/// ‖output − reference‖ / ‖reference‖, Euclidean norms.
pub fn relative_error(output: &Array3<f32>, reference: &Array3<f64>) -> f64 {
    assert_eq!(output.shape(), reference.shape(), "results of different shapes can't be compared");
    let square = |x: f64| x * x;
    let difference: f64 = output.iter().zip(reference).map(|(o, r)| square(f64::from(*o) - r)).sum();
    let norm: f64 = reference.iter().map(|r| square(*r)).sum();
    (difference / norm).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{conv, relative_error};
    use crate::layers::Data;
    use ndarray::{Array1, Array3, Array4, array};

    /// Rows 1 2 / 3 4; the kernel takes the element itself and a tenth of its right neighbour.
    #[test]
    fn as_computed_by_hand() {
        let mut kernels = Array4::zeros((1, 3, 3, 1));
        kernels[[0, 1, 1, 0]] = 1.0;
        kernels[[0, 1, 2, 0]] = 0.1;
        let input = Array3::from_shape_vec((2, 2, 1), vec![1.0, 2.0, 3.0, 4.0]);
        let data = Data { kernels, biases: Array1::ones(1), input: input.unwrap_or_default() };
        let expected: Array3<f32> = array![[[2.2], [3.0]], [[4.4], [5.0]]];
        assert!(relative_error(&expected, &conv(&data)) < 1e-6);
    }
}
