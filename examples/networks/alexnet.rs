//! Krizhevsky, Sutskever, Hinton: ImageNet classification with deep convolutional neural networks (2012), as Caffe has it
//! (`bvlc_alexnet`): pictures of 227 × 227, and two groups of channels where two GPUs were.

use crate::builder::{BuildError, Builder};
use crate::window::Window;
use lift::graph::Value;

pub fn alexnet(net: &mut Builder) -> Result<Value, BuildError> {
    let pool = Window::of(3).stride(2);
    let x = net.pictures(227, 227)?;
    let x = net.conv_relu("conv1", x, 96, Window::of(11).stride(4))?;
    let x = net.local_response_norm("norm1", x)?;
    let x = net.max_pool("pool1", x, pool)?;
    let x = net.conv_grouped_relu("conv2", x, 256, 2, Window::of(5).padding(2))?;
    let x = net.local_response_norm("norm2", x)?;
    let x = net.max_pool("pool2", x, pool)?;
    let x = net.conv_relu("conv3", x, 384, Window::of(3).padding(1))?;
    let x = net.conv_grouped_relu("conv4", x, 384, 2, Window::of(3).padding(1))?;
    let x = net.conv_grouped_relu("conv5", x, 256, 2, Window::of(3).padding(1))?;
    let x = net.max_pool("pool5", x, pool)?;
    let x = net.flatten("flat", x)?;
    let x = net.linear_relu("fc6", x, 4096)?;
    let x = net.linear_relu("fc7", x, 4096)?;
    let x = net.linear("fc8", x, 1000)?;
    net.softmax("prob", x)
}
