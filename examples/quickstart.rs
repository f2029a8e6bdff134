//! The README's program: one convolution layer, written once, run on the best device there is.
//!
//! `cargo run --release --example quickstart`

use lift::prelude::*;

lift! {
    /// A convolution layer with 1 element of padding, channels last.
    pub fn conv_layer<K, KH, KW, C, H, W>(
        kernels: [[[[f32; C]; KW]; KH]; K],
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

fn main() -> Result<(), lift::Error> {
    // LIFT_DEVICE=pocl, say, chooses; else a GPU if there is one, else the built-in CPU device.
    let device = Device::from_env()?;
    println!("device   {device}");

    // 32 kernels of 3 × 3, each a little different, over a 3-channel picture of 224 × 224.
    let kernels = Array4::from_shape_fn((32, 3, 3, 3), |(k, y, x, _)| (k + y * x) as f32 / 100.0);
    let biases = Array1::from_shape_fn(32, |k| k as f32);
    let image = Array3::from_shape_fn((224, 224, 3), |(y, x, c)| ((y ^ x) + c) as f32 / 256.0);

    let output = conv_layer(&device, kernels.view(), biases.view(), image.view())?;
    println!("shape    {:?}", output.shape());
    println!("corner   {:.3}", output.slice(ndarray::s![0, 0, ..6]));
    println!("middle   {:.3}", output.slice(ndarray::s![112, 112, ..6]));

    // Sizes known: compiled once, called often. The second time nothing is left to build.
    let sizes = conv_layer::Sizes { K: 32, KH: 3, KW: 3, C: 3, H: 224, W: 224 };
    let compiled = conv_layer::compile(&device, sizes)?;
    let (_, times) = compiled.run_timed(kernels.view(), biases.view(), image.view())?;
    println!("kernels  {:.3} ms", times.total().as_secs_f64() * 1e3);
    println!("memory   {:.1} MB on the device", compiled.bytes() as f64 / 1e6);
    Ok(())
}
