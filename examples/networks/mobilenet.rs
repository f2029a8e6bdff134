//! Sandler et al.: MobileNetV2: inverted residuals and linear bottlenecks (2018), table 2, at width 1. Pictures may have any
//! size; they had 224 × 224.

use crate::builder::{BuildError, Builder};
use crate::window::Window;
use lift::graph::Value;

/// Of each sequence of bottlenecks: how many times as many channels are inside, the channels outside, how many there are, and
/// the stride of the first.
const BOTTLENECKS: [(usize, usize, usize, usize); 7] = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
];

pub fn mobilenet_v2(net: &mut Builder) -> Result<Value, BuildError> {
    let x = net.pictures("H", "W")?;
    let x = net.conv_norm("first", x, 32, Window::of(3).stride(2).padding(1))?;
    let mut x = net.relu6("first", x)?;
    let mut channels = 32;
    let mut number = 0;
    for (expansion, outputs, count, stride) in BOTTLENECKS {
        for k in 0..count {
            number += 1;
            let stride = if k == 0 { stride } else { 1 };
            let y = bottleneck(net, &format!("block{number}"), x, [channels, expansion, outputs, stride])?;
            let like = stride == 1 && channels == outputs;
            x = if like { net.add(&format!("block{number}"), x, y)? } else { y };
            channels = outputs;
        }
    }
    let x = net.conv_norm("last", x, 1280, Window::of(1))?;
    let x = net.relu6("last", x)?;
    let x = net.global_average("pool", x)?;
    let x = net.linear("classifier", x, 1000)?;
    net.softmax("prob", x)
}

fn bottleneck(
    net: &mut Builder,
    name: &str,
    mut x: Value,
    [channels, expansion, outputs, stride]: [usize; 4],
) -> Result<Value, BuildError> {
    let layer = |what: &str| format!("{name}.{what}");
    if expansion != 1 {
        x = net.conv_norm(&layer("expand"), x, channels * expansion, Window::of(1))?;
        x = net.relu6(&layer("expand"), x)?;
    }
    let x = net.depthwise_norm(&layer("depthwise"), x, Window::of(3).stride(stride).padding(1))?;
    let x = net.relu6(&layer("depthwise"), x)?;
    net.conv_norm(&layer("project"), x, outputs, Window::of(1))
}
