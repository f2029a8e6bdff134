//! The distinct convolution layers of networks, one picture and batches of them.

use super::{Case, Scale};
use crate::operation::{Conv, Operation};
use crate::programs::convolutions::{conv, conv_batch, conv_first, pointwise};

/// Input and output channels, rows (and columns) of the picture, rows (and columns) of the window, stride, padding.
pub type Layer = (usize, usize, usize, usize, usize, usize);

/// One of each program that is small.
const SMALL: Layer = (5, 7, 12, 3, 2, 1);

pub const ALEXNET: &[Layer] = &[
    SMALL,
    (3, 64, 224, 11, 4, 2),
    (64, 192, 27, 5, 1, 2),
    (192, 384, 13, 3, 1, 1),
    (384, 256, 13, 3, 1, 1),
    (256, 256, 13, 3, 1, 1),
];

pub const NIN: &[Layer] = &[
    (6, 9, 7, 1, 1, 0),
    (3, 96, 227, 11, 4, 0),
    (96, 96, 55, 1, 1, 0),
    (96, 256, 27, 5, 1, 2),
    (256, 256, 27, 1, 1, 0),
    (256, 384, 13, 3, 1, 1),
    (384, 384, 13, 1, 1, 0),
    (384, 1024, 6, 3, 1, 1),
    (1024, 1024, 6, 1, 1, 0),
    (1024, 1000, 6, 1, 1, 0),
];

const GOOGLENET: &[Layer] = &[
    (4, 6, 9, 5, 1, 2),
    (3, 64, 224, 7, 2, 3),
    (64, 64, 56, 1, 1, 0),
    (64, 192, 56, 3, 1, 1),
    (192, 64, 28, 1, 1, 0),
    (96, 128, 28, 3, 1, 1),
    (16, 32, 28, 5, 1, 2),
    (128, 192, 28, 3, 1, 1),
    (480, 192, 14, 1, 1, 0),
    (96, 208, 14, 3, 1, 1),
    (32, 128, 14, 5, 1, 2),
    (160, 320, 14, 3, 1, 1),
    (832, 384, 7, 1, 1, 0),
    (192, 384, 7, 3, 1, 1),
];

const VGG16: &[Layer] = &[
    (3, 8, 10, 3, 1, 1),
    (3, 64, 224, 3, 1, 1),
    (64, 64, 224, 3, 1, 1),
    (64, 128, 112, 3, 1, 1),
    (128, 128, 112, 3, 1, 1),
    (128, 256, 56, 3, 1, 1),
    (256, 256, 56, 3, 1, 1),
    (256, 512, 28, 3, 1, 1),
    (512, 512, 28, 3, 1, 1),
    (512, 512, 14, 3, 1, 1),
];

const RESNET50: &[Layer] = &[
    (8, 12, 9, 1, 2, 0),
    (3, 64, 224, 7, 2, 3),
    (64, 64, 56, 1, 1, 0),
    (64, 64, 56, 3, 1, 1),
    (64, 256, 56, 1, 1, 0),
    (256, 64, 56, 1, 1, 0),
    (256, 128, 56, 1, 1, 0),
    (128, 128, 56, 3, 2, 1),
    (256, 512, 56, 1, 2, 0),
    (128, 512, 28, 1, 1, 0),
    (512, 128, 28, 1, 1, 0),
    (128, 128, 28, 3, 1, 1),
    (512, 256, 28, 1, 1, 0),
    (256, 256, 28, 3, 2, 1),
    (512, 1024, 28, 1, 2, 0),
    (256, 1024, 14, 1, 1, 0),
    (1024, 256, 14, 1, 1, 0),
    (256, 256, 14, 3, 1, 1),
    (1024, 512, 14, 1, 1, 0),
    (512, 512, 14, 3, 2, 1),
    (1024, 2048, 14, 1, 2, 0),
    (512, 2048, 7, 1, 1, 0),
    (2048, 512, 7, 1, 1, 0),
    (512, 512, 7, 3, 1, 1),
];

/// Without padding.
const UNET: &[Layer] = &[
    (2, 5, 9, 3, 1, 0),
    (1, 64, 572, 3, 1, 0),
    (64, 128, 284, 3, 1, 0),
    (256, 256, 138, 3, 1, 0),
    (512, 1024, 32, 3, 1, 0),
    (1024, 512, 56, 3, 1, 0),
];

/// MobileNet-v2's and EfficientNet's: windows of one element, stride 1.
const POINTWISE: &[Layer] = &[
    (6, 10, 7, 1, 1, 0),
    (32, 16, 112, 1, 1, 0),
    (16, 96, 112, 1, 1, 0),
    (96, 24, 56, 1, 1, 0),
    (24, 144, 56, 1, 1, 0),
    (144, 24, 56, 1, 1, 0),
    (144, 32, 28, 1, 1, 0),
    (32, 192, 28, 1, 1, 0),
    (192, 64, 14, 1, 1, 0),
    (64, 384, 14, 1, 1, 0),
    (384, 96, 14, 1, 1, 0),
    (96, 576, 14, 1, 1, 0),
    (576, 160, 7, 1, 1, 0),
    (160, 960, 7, 1, 1, 0),
    (960, 320, 7, 1, 1, 0),
    (320, 1280, 7, 1, 1, 0),
];

const CHANNELS_FIRST: &[Layer] = &[
    SMALL,
    (3, 64, 224, 7, 2, 3),
    (64, 64, 56, 3, 1, 1),
    (64, 256, 56, 1, 1, 0),
    (64, 128, 112, 3, 1, 1),
    (256, 256, 56, 3, 1, 1),
    (128, 128, 56, 3, 2, 1),
    (256, 256, 14, 3, 1, 1),
    (512, 512, 14, 3, 1, 1),
];

/// Pictures at once, and the layer.
const BATCHES: &[(usize, Layer)] = &[
    (2, SMALL),
    (5, (3, 64, 224, 11, 4, 2)),
    (5, (64, 192, 27, 5, 1, 2)),
    (5, (64, 64, 56, 3, 1, 1)),
    (5, (256, 256, 14, 3, 1, 1)),
    (20, (64, 256, 56, 1, 1, 0)),
    (20, (256, 256, 14, 3, 1, 1)),
    (20, (512, 512, 7, 3, 1, 1)),
];

pub fn cases() -> Vec<Case> {
    let networks = [
        ("alexnet", ALEXNET),
        ("nin", NIN),
        ("googlenet", GOOGLENET),
        ("vgg16", VGG16),
        ("resnet50", RESNET50),
        ("unet", UNET),
    ];
    let mut all = vec![];
    for (family, layers) in networks {
        all.extend(layers.iter().enumerate().map(|(k, layer)| last(family, scale(k), layer)));
    }
    all.extend(POINTWISE.iter().enumerate().map(|(k, layer)| by_position(scale(k), layer)));
    all.extend(CHANNELS_FIRST.iter().enumerate().map(|(k, layer)| first(scale(k), layer)));
    all.extend(
        BATCHES.iter().enumerate().map(|(k, (pictures, layer))| batch("batches", scale(k), *pictures, layer)),
    );
    all
}

/// The first of a table is the small one.
pub fn scale(k: usize) -> Scale {
    if k == 0 { Scale::Quick } else { Scale::Full }
}

/// `3×3/2 128→256 @56`: window, stride unless it is 1, channels, rows of the picture.
pub fn name(layer: &Layer) -> String {
    let (inputs, outputs, side, window, stride, _) = layer;
    let stride = if *stride == 1 { String::new() } else { format!("/{stride}") };
    format!("{window}×{window}{stride} {inputs}→{outputs} @{side}")
}

pub fn last(family: &'static str, scale: Scale, layer: &Layer) -> Case {
    let &(inputs, outputs, side, window, stride, padding) = layer;
    let operation = Operation::Conv(Conv { stride, padding, ..Conv::new("YXI", "KYXC", "YXK") });
    let sizes = vec![outputs, window, window, inputs, side, side, stride, padding];
    Case { family, name: name(layer), program: conv::program, sizes, operation, scale }
}

fn first(scale: Scale, layer: &Layer) -> Case {
    let &(inputs, outputs, side, window, stride, padding) = layer;
    let operation = Operation::Conv(Conv { stride, padding, ..Conv::new("IYX", "KCYX", "KYX") });
    let sizes = vec![outputs, inputs, window, window, side, side, stride, padding];
    let family = "channels first";
    Case { family, name: name(layer), program: conv_first::program, sizes, operation, scale }
}

fn by_position(scale: Scale, layer: &Layer) -> Case {
    let &(inputs, outputs, side, ..) = layer;
    let operation = Operation::Conv(Conv::new("YXI", "KC", "YXK"));
    let sizes = vec![outputs, inputs, side, side];
    Case { family: "pointwise", name: name(layer), program: pointwise::program, sizes, operation, scale }
}

pub fn batch(family: &'static str, scale: Scale, pictures: usize, layer: &Layer) -> Case {
    let &(inputs, outputs, side, window, stride, padding) = layer;
    let operation = Operation::Conv(Conv { stride, padding, ..Conv::new("NYXI", "KYXC", "NYXK") });
    let sizes = vec![pictures, outputs, window, window, inputs, side, side, stride, padding];
    let name = format!("{pictures} × {}", name(layer));
    Case { family, name, program: conv_batch::program, sizes, operation, scale }
}
