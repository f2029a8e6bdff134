//! Stencils over arrays beyond the caches.

use super::Case;
use super::convolutions::scale;
use crate::operation::{Conv, Operation};
use crate::programs::stencils;

/// Rows, columns.
const PLANES: &[(usize, usize)] = &[(9, 11), (1080, 1920), (4096, 4096)];
/// Rows, columns, rows of the window.
const BOXES: &[(usize, usize, usize)] = &[(8, 10, 3), (1080, 1920, 15)];
/// Planes, rows, columns.
const VOLUMES: &[(usize, usize, usize)] = &[(5, 6, 7), (256, 256, 256)];
/// Elements, weights.
const SIGNALS: &[(usize, usize)] = &[(40, 5), (1 << 24, 5), (1 << 22, 32), (1 << 20, 31)];

pub fn cases() -> Vec<Case> {
    let mut all = vec![];
    for (k, &(rows, columns)) in PLANES.iter().enumerate() {
        let row = [1.0, 4.0, 6.0, 4.0, 1.0];
        let gauss = row.iter().flat_map(|y| row.map(|x| x * y / 256.0)).collect();
        let heat = vec![0.0, 0.125, 0.0, 0.125, 0.5, 0.125, 0.0, 0.125, 0.0];
        let kinds = [
            ("gauss 5×5", stencils::gauss::program as fn() -> _, 5, gauss),
            ("heat", stencils::heat2d::program as fn() -> _, 3, heat),
        ];
        for (name, program, side, weights) in kinds {
            let constant = Some((vec![side, side], weights));
            let operation = Operation::Conv(Conv { constant, ..Conv::new("YX", "YX", "YX") });
            let (name, sizes) = (format!("{name} {rows}×{columns}"), vec![rows, columns]);
            all.push(Case { family: "stencils", name, program, sizes, operation, scale: scale(k) });
        }
    }
    for (k, &(rows, columns, side)) in BOXES.iter().enumerate() {
        let weights = vec![1.0 / (side * side) as f32; side * side];
        let constant = Some((vec![side, side], weights));
        let operation = Operation::Conv(Conv { constant, ..Conv::new("YX", "YX", "YX") });
        let name = format!("mean {side}×{side} {rows}×{columns}");
        let (program, sizes) = (stencils::boxes::program, vec![rows, columns, side]);
        all.push(Case { family: "stencils", name, program, sizes, operation, scale: scale(k) });
    }
    for (k, &(planes, rows, columns)) in VOLUMES.iter().enumerate() {
        let mut weights = vec![0.0; 27];
        [4, 10, 12, 14, 16, 22].into_iter().for_each(|at| weights[at] = 0.125);
        weights[13] = 0.25;
        let constant = Some((vec![3, 3, 3], weights));
        let operation = Operation::Conv(Conv { constant, ..Conv::new("ZYX", "ZYX", "ZYX") });
        let (name, sizes) = (format!("heat {planes}×{rows}×{columns}"), vec![planes, rows, columns]);
        let program = stencils::heat3d::program;
        all.push(Case { family: "stencils", name, program, sizes, operation, scale: scale(k) });
    }
    for (k, &(elements, taps)) in SIGNALS.iter().enumerate() {
        let operation = Operation::Conv(Conv::new("X", "X", "X"));
        let (name, sizes) = (format!("{taps} of {elements}"), vec![elements, taps]);
        let program = stencils::fir::program;
        all.push(Case { family: "stencils", name, program, sizes, operation, scale: scale(k) });
    }
    all
}
