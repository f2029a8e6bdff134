//! The findings as a table.

use crate::check::Finding;
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

pub fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(["layer", "schedule", "right / tried", "worst error", "allowed", "ms", "fastest"]);
    for column in table.column_iter_mut().skip(2).take(4) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for f in findings {
        let (layer, schedule) = (f.layer.to_string(), f.schedule.to_string());
        let none = || "–".to_string();
        table.add_row(match &f.reason {
            Some(reason) => {
                [layer, schedule, none(), none(), none(), none(), format!("does not apply: {reason}")]
            }
            None => [
                layer,
                schedule,
                format!("{} / {}", f.right, f.points),
                format!("{:.1e}", f.worst),
                format!("{:.1e}", f.allowed),
                f.ms.map_or_else(none, |ms| format!("{ms:.2}")),
                f.fastest.clone().unwrap_or_else(none),
            ],
        });
    }
    table
}
