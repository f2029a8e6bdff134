//! The layers: a program, a convolution that it computes, and in which order its arrays have their axes.

use crate::convolution::Convolution;
use crate::programs::{
    activation_outside, batch, channels_first, channels_last, depthwise, dilated, eleven_by_eleven,
    five_by_five, grouped, one_by_one, sum_of_planes, weights_across,
};
use crate::vgg16;
use lift::Program;

#[derive(Clone)]
pub struct Layer {
    pub name: &'static str,
    pub program: fn() -> &'static Program,
    pub convolution: Convolution,
    pub axes: Axes,
    /// Is what is negative made 0?
    pub activation: bool,
    /// Names of schedules that have no use for it.
    pub unsuited: &'static [&'static str],
}

/// The axes of a program's arrays, the outermost first: N images, K output channels, C input channels (of a
/// group), Y rows, X columns. One that is left out has a single element.
#[derive(Clone, Copy)]
pub struct Axes {
    pub input: &'static str,
    pub weights: &'static str,
    pub output: &'static str,
}

const LAST: Axes = Axes { input: "YXC", weights: "KYXC", output: "YXK" };
const FIRST: Axes = Axes { input: "CYX", weights: "KCYX", output: "KYX" };
const BATCH_LAST: Axes = Axes { input: "NYXC", weights: "KYXC", output: "NYXK" };
const BATCH_FIRST: Axes = Axes { input: "NCYX", weights: "KCYX", output: "NKYX" };

/// All of them: VGG-16's nine, and others of well-known networks.
pub fn layers() -> Vec<Layer> {
    let layer = |name, program, convolution, axes, activation| Layer {
        name,
        program,
        convolution,
        axes,
        activation,
        unsuited: &[],
    };
    let vgg = |number| {
        let found = vgg16::LAYERS.iter().find(|layer| layer.number == number);
        let (inputs, outputs, side) = found.map_or((1, 1, 1), |l| (l.inputs, l.outputs, l.side));
        Convolution { padding: 1, ..Convolution::new(inputs, outputs, side, vgg16::KERNEL) }
    };
    let threefold = |convolution| Convolution { batch: 3, ..convolution };
    let strided = Convolution { stride: 2, padding: 1, ..Convolution::new(128, 128, 56, 3) };
    let five = Convolution { padding: 2, ..Convolution::new(96, 256, 27, 5) };
    let by_channel = Convolution { groups: 64, padding: 1, ..Convolution::new(64, 64, 112, 3) };
    vec![
        layer("vgg-0", channels_last::program, vgg(0), LAST, false),
        layer("vgg-2", activation_outside::program, vgg(2), LAST, true),
        layer("vgg-5", channels_first::program, vgg(5), FIRST, false),
        layer("vgg-7", channels_last::program, vgg(7), LAST, false),
        layer("vgg-10", channels_last::program, vgg(10), LAST, false),
        layer("vgg-12", channels_first::program, vgg(12), FIRST, false),
        layer("vgg-17", activation_outside::program, vgg(17), LAST, true),
        layer("vgg-19", channels_last::program, vgg(19), LAST, false),
        layer("vgg-24", batch::program, threefold(vgg(24)), BATCH_LAST, true),
        // No schedule knows sums of whole planes; each says so.
        Layer {
            unsuited: &["direct", "mapped", "combined", "tiled", "blocked", "rows"],
            ..layer("planes", sum_of_planes::program, vgg(24), FIRST, false)
        },
        // AlexNet's first two, the second not in groups.
        layer(
            "eleven",
            eleven_by_eleven::program,
            Convolution { stride: 4, ..Convolution::new(3, 64, 227, 11) },
            LAST,
            true,
        ),
        layer("five", five_by_five::program, threefold(five), BATCH_FIRST, false),
        // ResNet-50's.
        layer(
            "one",
            one_by_one::program,
            Convolution::new(256, 64, 56, 1),
            Axes { weights: "KC", ..LAST },
            false,
        ),
        layer("strided", batch::program, threefold(strided), BATCH_LAST, true),
        // MobileNet's: each sum has a single input channel, so there is no matrix product.
        Layer {
            unsuited: &["blocked"],
            ..layer("depthwise", depthwise::program, by_channel, Axes { weights: "YXK", ..LAST }, false)
        },
        layer(
            "dilated",
            dilated::program,
            Convolution { dilation: 2, ..Convolution::new(64, 64, 60, 3) },
            LAST,
            false,
        ),
        // ResNeXt-50's.
        layer(
            "grouped",
            grouped::program,
            Convolution { groups: 32, ..Convolution::new(128, 128, 58, 3) },
            FIRST,
            false,
        ),
        layer(
            "unpadded",
            weights_across::program,
            Convolution::new(64, 64, 58, 3),
            Axes { weights: "YXCK", ..LAST },
            false,
        ),
    ]
}
