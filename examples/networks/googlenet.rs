//! Szegedy et al.: Going deeper with convolutions (2015), table 1, without the two classifiers that only training needs, as
//! Caffe has it (`bvlc_googlenet`). Pictures may have any size; they had 224 × 224.

use crate::builder::{BuildError, Builder};
use crate::modules::MODULES;
use crate::window::Window;
use lift::graph::Value;

pub fn googlenet(net: &mut Builder) -> Result<Value, BuildError> {
    let pool = Window::of(3).stride(2).cut_off();
    let x = net.pictures("H", "W")?;
    let x = net.conv_relu("conv1", x, 64, Window::of(7).stride(2).padding(3))?;
    let x = net.max_pool("pool1", x, pool)?;
    let x = net.local_response_norm("norm1", x)?;
    let x = net.conv_relu("reduce2", x, 64, Window::of(1))?;
    let x = net.conv_relu("conv2", x, 192, Window::of(3).padding(1))?;
    let x = net.local_response_norm("norm2", x)?;
    let mut x = net.max_pool("pool2", x, pool)?;
    for (name, kernels) in MODULES {
        x = inception(net, name, x, kernels)?;
        if let "3b" | "4e" = name {
            x = net.max_pool(&format!("pool{}", &name[..1]), x, pool)?;
        }
    }
    let x = net.global_average("pool5", x)?;
    let x = net.linear("classifier", x, 1000)?;
    net.softmax("prob", x)
}

fn inception(net: &mut Builder, name: &str, x: Value, kernels: [usize; 6]) -> Result<Value, BuildError> {
    let layer = |what: &str| format!("{name}.{what}");
    let (one, three, five) = (Window::of(1), Window::of(3).padding(1), Window::of(5).padding(2));
    let [ones, before_threes, threes, before_fives, fives, pooled] = kernels;
    let a = net.conv_relu(&layer("1x1"), x, ones, one)?;
    let b = net.conv_relu(&layer("3x3_reduce"), x, before_threes, one)?;
    let b = net.conv_relu(&layer("3x3"), b, threes, three)?;
    let c = net.conv_relu(&layer("5x5_reduce"), x, before_fives, one)?;
    let c = net.conv_relu(&layer("5x5"), c, fives, five)?;
    let d = net.max_pool(&layer("pool"), x, three)?;
    let d = net.conv_relu(&layer("pool_proj"), d, pooled, one)?;
    net.concat(name, &[a, b, c, d])
}
