//! Products of matrices.

use super::{Case, Lookup, Scale};
use crate::operation::Operation;
use crate::programs::products;

/// Rows, columns, terms of each sum, in the order of storage that the name says.
const PRODUCTS: &[(usize, usize, usize, Scale)] = &[
    (9, 7, 5, Scale::Quick),
    (512, 512, 512, Scale::Full),
    (1000, 1000, 1000, Scale::Full),
    (1024, 1024, 1024, Scale::Full),
    (2048, 2048, 2048, Scale::Full),
    (64, 4096, 4096, Scale::Full),
    (4096, 4096, 4096, Scale::Gpu),
];

const OTHER_ORDERS: &[(usize, usize, usize, Scale)] = &[
    (9, 7, 5, Scale::Quick),
    (512, 512, 512, Scale::Full),
    (1024, 1024, 1024, Scale::Full),
    (64, 4096, 4096, Scale::Full),
];

/// Products, rows, columns, terms.
const BATCHED: &[(usize, usize, usize, usize)] =
    &[(3, 5, 4, 6), (12, 512, 512, 64), (12, 512, 64, 512), (64, 128, 128, 128), (512, 32, 32, 32)];

/// Rows, terms.
const VECTORS: &[(usize, usize)] = &[(7, 9), (4096, 4096), (1000, 2048), (128, 131_072), (65536, 256)];

/// The program, and whether each matrix is stored by columns.
pub type Order = (&'static str, Lookup, bool, bool);

const ORDERS: &[Order] = &[
    ("nt", products::nt::program, false, true),
    ("tn", products::tn::program, true, false),
    ("tt", products::tt::program, true, true),
];

/// Both by rows.
pub const NN: Order = ("nn", products::nn::program, false, false);

pub fn cases() -> Vec<Case> {
    let mut all = vec![];
    all.extend(PRODUCTS.iter().map(|sizes| product("products", NN, *sizes)));
    for order in ORDERS {
        all.extend(OTHER_ORDERS.iter().map(|sizes| product("storage orders", *order, *sizes)));
    }
    for (k, &(count, m, n, depth)) in BATCHED.iter().enumerate() {
        let operation = Operation::Product { transpose_a: false, transpose_b: false, depth };
        let (name, program) = (format!("{count} × {m}×{depth}·{depth}×{n}"), products::batched::program as _);
        let (sizes, scale) = (vec![count, m, n, depth], super::convolutions::scale(k));
        all.push(Case { family: "batched products", name, program, sizes, operation, scale });
    }
    for (k, &(rows, depth)) in VECTORS.iter().enumerate() {
        let programs: [(&str, Lookup, bool); 2] =
            [("n", products::vector::program, false), ("t", products::vector_across::program, true)];
        for (letter, program, transpose_a) in programs {
            let operation = Operation::Product { transpose_a, transpose_b: false, depth };
            let name = format!("{letter} {rows}×{depth}");
            let (sizes, scale) = (vec![rows, depth], super::convolutions::scale(k));
            all.push(Case { family: "matrix × vector", name, program, sizes, operation, scale });
        }
    }
    all
}

pub fn product(
    family: &'static str,
    (letters, program, transpose_a, transpose_b): Order,
    (m, n, depth, scale): (usize, usize, usize, Scale),
) -> Case {
    let operation = Operation::Product { transpose_a, transpose_b, depth };
    let name = format!("{letters} {m}×{depth}·{depth}×{n}");
    Case { family, name, program, sizes: vec![m, n, depth], operation, scale }
}
