//! Convolutions of other kinds.

use super::convolutions::scale;
use super::{Case, Lookup};
use crate::operation::{Conv, Operation};
use crate::programs::kinds;

/// Channels, rows of the picture, rows of the window, stride; padding as much as keeps the picture's size at stride 1.
const DEPTHWISE: &[(usize, usize, usize, usize)] = &[
    (6, 9, 3, 2),
    (32, 112, 3, 1),
    (96, 112, 3, 2),
    (144, 56, 3, 1),
    (144, 56, 3, 2),
    (192, 28, 3, 1),
    (192, 28, 3, 2),
    (384, 14, 3, 1),
    (576, 14, 3, 2),
    (960, 7, 3, 1),
];

/// EfficientNet's.
const DEPTHWISE5: &[(usize, usize, usize, usize)] =
    &[(5, 8, 5, 1), (144, 56, 5, 2), (240, 28, 5, 1), (480, 14, 5, 1), (672, 14, 5, 2), (1152, 7, 5, 1)];

/// Pictures that take a GPU much longer than to start a kernel, as segmentation has them.
const DEPTHWISE_LARGE: &[(usize, usize, usize, usize)] =
    &[(4, 11, 3, 1), (32, 512, 3, 1), (96, 512, 3, 2), (144, 448, 3, 1), (240, 224, 5, 1)];

/// As [`DEPTHWISE`], channels first.
const DEPTHWISE_FIRST: &[(usize, usize, usize, usize)] =
    &[(6, 9, 3, 2), (32, 112, 3, 1), (144, 56, 3, 2), (960, 7, 3, 1), (240, 28, 5, 1)];

/// Groups, input and output channels of a group, rows of the picture, rows of the window; AlexNet's, ResNeXt's.
const GROUPED: &[(usize, usize, usize, usize, usize)] = &[
    (2, 3, 4, 7, 3),
    (2, 48, 128, 27, 5),
    (2, 192, 192, 13, 3),
    (2, 192, 128, 13, 3),
    (32, 4, 4, 56, 3),
    (32, 8, 8, 28, 3),
];

/// Input and output channels, rows of the picture, dilation, padding.
const DILATED: &[(usize, usize, usize, usize, usize)] = &[
    (3, 4, 10, 2, 2),
    (64, 64, 64, 2, 0),
    (256, 256, 28, 2, 2),
    (512, 512, 28, 4, 4),
    (256, 256, 33, 12, 12),
];

/// Input and output channels, rows of the picture.
const UP: &[(usize, usize, usize)] = &[(3, 5, 4), (1024, 512, 28), (256, 128, 104), (128, 64, 196)];
const TRANSPOSED: &[(usize, usize, usize)] =
    &[(3, 5, 4), (512, 256, 8), (256, 128, 16), (128, 64, 32), (64, 3, 64)];

/// Input and output channels, elements, elements of the window, stride, padding.
const ONE_DIMENSION: &[(usize, usize, usize, usize, usize, usize)] = &[
    (3, 4, 20, 5, 2, 2),
    (1, 128, 32000, 80, 4, 0),
    (128, 128, 4096, 3, 1, 1),
    (64, 64, 16384, 9, 1, 4),
    (512, 512, 1500, 3, 1, 1),
];

/// Input and output channels, pictures, rows of each.
const THREE_DIMENSIONS: &[(usize, usize, usize, usize)] =
    &[(2, 3, 4, 5), (3, 64, 16, 112), (64, 128, 8, 56), (256, 256, 8, 28), (512, 512, 4, 14)];

pub fn cases() -> Vec<Case> {
    let mut all = vec![];
    all.extend(DEPTHWISE.iter().enumerate().map(|(k, layer)| by_channel("depthwise", k, *layer, false)));
    all.extend(DEPTHWISE5.iter().enumerate().map(|(k, layer)| by_channel("depthwise 5×5", k, *layer, false)));
    let large = DEPTHWISE_LARGE.iter().enumerate();
    all.extend(large.map(|(k, layer)| by_channel("depthwise, large", k, *layer, false)));
    all.extend(DEPTHWISE_FIRST.iter().enumerate().map(|(k, l)| by_channel("depthwise first", k, *l, true)));
    for (k, &(groups, inputs, outputs, side, window)) in GROUPED.iter().enumerate() {
        let padding = window / 2;
        let conv = Conv { padding, groups, ..Conv::new("IYX", "KCYX", "KYX") };
        let sizes = [groups, outputs, inputs, window, window, side, side, padding];
        let name = format!("{groups} × {window}×{window} {inputs}→{outputs} @{side}");
        all.push(case("grouped", k, name, kinds::grouped::program, &sizes, conv));
    }
    for (k, &(inputs, outputs, side, dilation, padding)) in DILATED.iter().enumerate() {
        let conv = Conv { padding, dilation, ..Conv::new("YXI", "KYXC", "YXK") };
        let sizes = [outputs, 3, 3, inputs, side, side, dilation, padding];
        let name = format!("3×3 every {dilation} {inputs}→{outputs} @{side}");
        all.push(case("dilated", k, name, kinds::dilated::program, &sizes, conv));
    }
    for (k, &(inputs, outputs, side)) in UP.iter().enumerate() {
        let conv = Conv { stride: 2, transposed: true, ..Conv::new("YXI", "YXKC", "YXK") };
        let name = format!("2×2/2 {inputs}→{outputs} @{side}");
        all.push(case("transposed", k, name, kinds::up::program, &[outputs, inputs, side, side], conv));
    }
    for (k, &(inputs, outputs, side)) in TRANSPOSED.iter().enumerate() {
        let conv = Conv { stride: 2, padding: 1, transposed: true, ..Conv::new("YXI", "KYXC", "YXK") };
        let name = format!("4×4/2 {inputs}→{outputs} @{side}");
        all.push(case(
            "transposed",
            k,
            name,
            kinds::transposed::program,
            &[outputs, inputs, side, side],
            conv,
        ));
    }
    for (k, &(inputs, outputs, length, window, stride, padding)) in ONE_DIMENSION.iter().enumerate() {
        let conv = Conv { stride, padding, ..Conv::new("XI", "KXC", "XK") };
        let sizes = [outputs, window, inputs, length, stride, padding];
        let name = format!("{window}/{stride} {inputs}→{outputs} @{length}");
        all.push(case("one dimension", k, name, kinds::conv1d::program, &sizes, conv));
    }
    for (k, &(inputs, outputs, depth, side)) in THREE_DIMENSIONS.iter().enumerate() {
        let conv = Conv { padding: 1, ..Conv::new("ZYXI", "KZYXC", "ZYXK") };
        let sizes = [outputs, inputs, depth, side, side];
        let name = format!("3×3×3 {inputs}→{outputs} @{depth}×{side}");
        all.push(case("three dimensions", k, name, kinds::conv3d::program, &sizes, conv));
    }
    all
}

fn by_channel(
    family: &'static str,
    k: usize,
    (channels, side, window, stride): (usize, usize, usize, usize),
    first: bool,
) -> Case {
    let (padding, groups) = (window / 2, channels);
    let step = if stride == 1 { String::new() } else { format!("/{stride}") };
    let name = format!("{window}×{window}{step} {channels} @{side}");
    let with = |conv| Conv { stride, padding, groups, ..conv };
    if first {
        let conv = with(Conv::new("IYX", "KYX", "KYX"));
        let sizes = [channels, window, window, side, side, stride, padding];
        return case(family, k, name, kinds::depthwise_first::program, &sizes, conv);
    }
    let conv = with(Conv::new("YXI", "YXK", "YXK"));
    let sizes = [window, window, channels, side, side, stride, padding];
    case(family, k, name, kinds::depthwise::program, &sizes, conv)
}

fn case(family: &'static str, k: usize, name: String, program: Lookup, sizes: &[usize], conv: Conv) -> Case {
    Case { family, name, program, sizes: sizes.to_vec(), operation: Operation::Conv(conv), scale: scale(k) }
}
