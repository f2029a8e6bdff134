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
            ("softmax", "rows", passes::softmax::program, Operation::Softmax),
            ("layer norm", "rows", passes::layer_norm::program, Operation::LayerNorm),
            ("arg-max", "rows", passes::arg_max::program, Operation::ArgMax),
            ("prefix sums", "rows", passes::prefix_of_rows::program, Operation::Prefix),
        ];
        for (family, name, program, operation) in kinds {
            add(family, format!("{name} {n}×{m}"), program, &[n, m], operation, scale(k));
        }
    }
    for (k, &n) in ELEMENTS.iter().enumerate() {
        let name = || format!("all {n}");
        add("sums", name(), passes::sum::program, &[n], Operation::Sum { axis: None }, scale(k));
        add("prefix sums", name(), passes::prefix::program, &[n], Operation::Prefix, scale(k));
    }
    // Those of a family together.
    let order =
        ["transposes", "elementwise", "pooling", "sums", "softmax", "layer norm", "arg-max", "prefix sums"];
    all.sort_by_key(|case: &Case| order.iter().position(|family| *family == case.family));
    debug_assert!(all.iter().any(|case| case.scale == Scale::Full));
    all
}
