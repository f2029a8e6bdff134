//! Passes over data, most of them beyond the caches.

use super::convolutions::scale;
use super::{Case, Lookup, Scale};
use crate::operation::Operation;
use crate::programs::passes;

/// Rows, columns.
const TRANSPOSES: &[(usize, usize)] = &[(5, 8), (4096, 4096), (1000, 16_000), (65536, 64)];
/// Channels, rows, columns.
const LAYOUTS: &[(usize, usize, usize)] = &[(3, 4, 5), (64, 512, 512), (3, 2048, 2048)];
const ELEMENTS: &[usize] = &[100, 1 << 24];
/// Channels, rows of the picture, rows of the window, stride.
const POOLS: &[(usize, usize, usize, usize)] =
    &[(3, 9, 3, 2), (64, 224, 2, 2), (512, 224, 2, 2), (64, 112, 3, 2), (2048, 7, 7, 7)];
/// Planes, elements.
const PLANES: &[(usize, usize)] = &[(5, 12), (21, 1 << 18)];
/// Rows, columns.
const PICTURES: &[(usize, usize)] = &[(7, 9), (1080, 1920)];
/// Rows, columns.
const ROWS: &[(usize, usize)] = &[(6, 10), (16384, 1024), (256, 65536), (2048, 1000)];

pub fn cases() -> Vec<Case> {
    let mut all = vec![];
    let mut add = |family, name, program, sizes: &[usize], operation, scale| {
        all.push(Case { family, name, program, sizes: sizes.to_vec(), operation, scale });
    };
    for (k, &(h, w)) in TRANSPOSES.iter().enumerate() {
        let operation = Operation::Transpose { order: vec![1, 0] };
        add("transposes", format!("{h}×{w}"), passes::transposition::program, &[h, w], operation, scale(k));
    }
    for (k, &(c, h, w)) in LAYOUTS.iter().enumerate() {
        let operation = Operation::Transpose { order: vec![1, 2, 0] };
        let name = format!("channels last {c}×{h}×{w}");
        add("transposes", name, passes::channels_last::program, &[c, h, w], operation, scale(k));
    }
    for (k, &n) in ELEMENTS.iter().enumerate() {
        let passes: [(&str, Lookup, Operation); 3] = [
            ("scale and add", passes::scale_add::program, Operation::ScaleAdd),
            ("gelu", passes::gelu::program, Operation::Gelu),
            ("sigmoid", passes::sigmoid::program, Operation::Sigmoid),
        ];
        for (name, program, operation) in passes {
            add("elementwise", format!("{name} {n}"), program, &[n], operation, scale(k));
        }
    }
    for (k, &(c, side, window, stride)) in POOLS.iter().enumerate() {
        let kinds: [(&str, Lookup, bool, &str); 3] = [
            ("max", passes::max_pool::program, true, "IYX"),
            ("max, last", passes::max_pool_last::program, true, "YXI"),
            ("mean", passes::average_pool::program, false, "IYX"),
        ];
        for (name, program, largest, axes) in kinds {
            let operation = Operation::Pool { largest, axes, window, stride };
            let name = format!("{name} {window}×{window}/{stride} {c} @{side}");
            add("pooling", name, program, &[c, side, side, window, stride], operation, scale(k));
        }
    }
    for (k, &(n, m)) in ROWS.iter().enumerate() {
        let kinds: [(&str, &str, Lookup, Operation); 6] = [
            ("sums", "rows", passes::sums::program, Operation::Sum { axis: Some(1) }),
            ("sums", "columns", passes::sums_of_columns::program, Operation::Sum { axis: Some(0) }),
            ("softmax", "rows", passes::softmax::program, Operation::Softmax { axis: 1 }),
            ("layer norm", "rows", passes::layer_norm::program, Operation::LayerNorm),
            ("arg-max", "rows", passes::arg_max::program, Operation::ArgMax),
            ("prefix sums", "rows", passes::prefix_of_rows::program, Operation::Prefix { axis: 1 }),
        ];
        for (family, name, program, operation) in kinds {
            add(family, format!("{name} {n}×{m}"), program, &[n, m], operation, scale(k));
        }
    }
    for (k, &n) in ELEMENTS.iter().enumerate() {
        let name = || format!("all {n}");
        add("sums", name(), passes::sum::program, &[n], Operation::Sum { axis: None }, scale(k));
        add("prefix sums", name(), passes::prefix::program, &[n], Operation::Prefix { axis: 0 }, scale(k));
    }
    for (k, &(n, m)) in PLANES.iter().enumerate() {
        let (name, operation) = (format!("planes {n}×{m}"), Operation::Softmax { axis: 0 });
        add("softmax", name, passes::softmax_of_planes::program, &[n, m], operation, scale(k));
    }
    for (k, &(n, m)) in PICTURES.iter().enumerate() {
        let (name, operation) = (format!("columns {n}×{m}"), Operation::Prefix { axis: 0 });
        add("prefix sums", name, passes::prefix_of_columns::program, &[n, m], operation, scale(k));
    }
    // Those of a family together.
    let order =
        ["transposes", "elementwise", "pooling", "sums", "softmax", "layer norm", "arg-max", "prefix sums"];
    all.sort_by_key(|case: &Case| order.iter().position(|family| *family == case.family));
    debug_assert!(all.iter().any(|case| case.scale == Scale::Full));
    all
}
