//! Lin, Chen, Yan: Network in network (2014), for ImageNet as its authors have it in Caffe's model zoo. Pictures may have any
//! size; they had 224 × 224.

use crate::builder::{BuildError, Builder};
use crate::window::Window;
use lift::graph::Value;

pub fn nin(net: &mut Builder) -> Result<Value, BuildError> {
    let one = Window::of(1);
    let pool = Window::of(3).stride(2).cut_off();
    let x = net.pictures("H", "W")?;
    let x = net.conv_relu("conv1", x, 96, Window::of(11).stride(4))?;
    let x = net.conv_relu("cccp1", x, 96, one)?;
    let x = net.conv_relu("cccp2", x, 96, one)?;
    let x = net.max_pool("pool1", x, pool)?;
    let x = net.conv_relu("conv2", x, 256, Window::of(5).padding(2))?;
    let x = net.conv_relu("cccp3", x, 256, one)?;
    let x = net.conv_relu("cccp4", x, 256, one)?;
    let x = net.max_pool("pool2", x, pool)?;
    let x = net.conv_relu("conv3", x, 384, Window::of(3).padding(1))?;
    let x = net.conv_relu("cccp5", x, 384, one)?;
    let x = net.conv_relu("cccp6", x, 384, one)?;
    let x = net.max_pool("pool3", x, pool)?;
    let x = net.conv_relu("conv4", x, 1024, Window::of(3).padding(1))?;
    let x = net.conv_relu("cccp7", x, 1024, one)?;
    let x = net.conv_relu("cccp8", x, 1000, one)?;
    let x = net.global_average("pool4", x)?;
    net.softmax("prob", x)
}
