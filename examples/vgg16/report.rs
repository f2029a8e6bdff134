//! The measurements as a table.

use crate::measure::Measurement;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

pub fn table(measurements: &[Measurement]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header([
        "layer",
        "channels",
        "picture",
        "ms",
        "prepare ms",
        "GFLOP/s",
        "of peak",
        "memory MB",
        "minimum MB",
        "im2col MB",
        "error",
        "form",
    ]);
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for m in measurements {
        table.add_row(row(m));
    }
    table
}

fn row(m: &Measurement) -> [String; 12] {
    let [inputs, outputs, side] = m.shape;
    let megabytes = |bytes: usize| format!("{:.1}", bytes as f64 / 1e6);
    [
        m.layer.to_string(),
        format!("{inputs} → {outputs}"),
        format!("{side} × {side}"),
        format!("{:.2}", m.ms),
        format!("{:.2}", m.prepare_ms),
        format!("{:.1}", m.gflops),
        format!("{:.0} %", 100.0 * m.of_peak),
        megabytes(m.bytes),
        megabytes(m.minimum_bytes),
        megabytes(m.im2col_bytes),
        match m.error {
            Some(error) => format!("{error:.1e}{}", if m.correct() { "" } else { " WRONG" }),
            None => "not checked".to_string(),
        },
        m.form.clone(),
    ]
}
