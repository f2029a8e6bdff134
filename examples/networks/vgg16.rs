//! Simonyan, Zisserman: Very deep convolutional networks for large-scale image recognition (2015), configuration D.

use crate::builder::{BuildError, Builder};
use crate::window::Window;
use lift::graph::Value;

/// Layers of each block, and the kernels of each layer.
const BLOCKS: [(usize, usize); 5] = [(2, 64), (2, 128), (3, 256), (3, 512), (3, 512)];

pub fn vgg16(net: &mut Builder) -> Result<Value, BuildError> {
    let mut x = net.pictures(224, 224)?;
    for (block, (layers, kernels)) in (1..).zip(BLOCKS) {
        for layer in 1..=layers {
            x = net.conv_relu(&format!("conv{block}_{layer}"), x, kernels, Window::of(3).padding(1))?;
        }
        x = net.max_pool(&format!("pool{block}"), x, Window::of(2).stride(2))?;
    }
    let x = net.flatten("flat", x)?;
    let x = net.linear_relu("fc6", x, 4096)?;
    let x = net.linear_relu("fc7", x, 4096)?;
    let x = net.linear("fc8", x, 1000)?;
    net.softmax("prob", x)
}
