//! The rows as tables: each case, each family, and the cases where peers are furthest ahead.

use crate::row::{Own, Row, mean};
use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

/// Cases that are named in the end.
const WORST: usize = 5;

/// A line for each case, and one for each further device.
pub fn cases(rows: &[Row]) -> Table {
    let header = [
        "family",
        "case",
        "",
        "device",
        "µs",
        "call µs",
        "of peak",
        "MB",
        "peers' µs",
        "ratio",
        "call",
        "apart",
        "form",
    ];
    let mut table = table(&header, &[4, 5, 6, 7, 9, 10, 11]);
    for row in rows {
        let peers: Vec<_> =
            row.peers.iter().map(|peer| format!("{} {}", peer.name, number(peer.us))).collect();
        let apart = row.peers.iter().map(|peer| peer.difference).fold(0.0, f64::max);
        let apart = if row.peers.is_empty() { "–".into() } else { format!("{apart:.0e}") };
        for (k, own) in row.own.iter().enumerate() {
            let first = |text: String| if k == 0 { text } else { String::new() };
            table.add_row([
                first(row.family.clone()),
                first(row.case.clone()),
                first(row.precision.clone()),
                own.device.clone(),
                number(own.us),
                number(own.call_us),
                format!("{:.0} % {}", own.share * 100.0, own.of),
                format!("{:.1}", own.memory as f64 / 1e6),
                first(if peers.is_empty() { "–".into() } else { peers.join(" · ") }),
                ratio(own.ratio),
                ratio(own.call_ratio),
                first(apart.clone()),
                own.form.clone(),
            ]);
        }
    }
    table
}

/// A line for each family, and one for all.
pub fn families(rows: &[Row]) -> Table {
    let mut table =
        table(&["family", "cases", "mean", "of shortest", "of calls", "worst", "case"], &[1, 2, 3, 4, 5]);
    let mut names: Vec<&str> = rows.iter().map(|row| row.family.as_str()).collect();
    names.dedup();
    for name in names.into_iter().map(Some).chain([None]) {
        let own: Vec<&Row> = rows.iter().filter(|row| name.is_none_or(|name| row.family == name)).collect();
        let call = |row: &&Row| row.own.iter().filter_map(|own| own.call_ratio).reduce(f64::max);
        let worst = worst(own.iter().copied()).into_iter().next();
        table.add_row([
            name.unwrap_or("all").to_string(),
            own.len().to_string(),
            ratio(mean(own.iter().filter_map(|row| row.ratio()))),
            ratio(mean(own.iter().filter_map(|row| row.own.first()?.least_ratio))),
            ratio(mean(own.iter().filter_map(call))),
            ratio(worst.and_then(Row::ratio)),
            worst.map_or("–".into(), |row| row.case.clone()),
        ]);
    }
    table
}

/// The cases in which peers are furthest ahead, each with its form.
pub fn worst_cases(rows: &[Row]) -> Table {
    let mut table = table(&["family", "case", "device", "ratio", "of peak", "fastest peer", "form"], &[3, 4]);
    for row in worst(rows.iter()).into_iter().take(WORST) {
        let peer = row.peers.first().map_or(String::new(), |peer| format!("{} ({})", peer.name, peer.how));
        let Some(Own { device, share, of, form, .. }) = row.own.first() else { continue };
        let (share, form) = (format!("{:.0} % {of}", share * 100.0), form.clone());
        let names = [row.family.clone(), row.case.clone(), device.clone()];
        table.add_row(names.into_iter().chain([ratio(row.ratio()), share, peer, form]));
    }
    table
}

/// Those with a peer, the worst first.
fn worst<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Row> {
    let mut with: Vec<(f64, &Row)> = rows.filter_map(|row| Some((row.ratio()?, row))).collect();
    with.sort_by(|a, b| a.0.total_cmp(&b.0));
    with.into_iter().map(|(_, row)| row).collect()
}

/// A table with columns of numbers on the right.
pub fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(header);
    for column in right {
        if let Some(column) = table.column_mut(*column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn ratio(value: Option<f64>) -> String {
    value.map_or("–".into(), |value| format!("{value:.2}"))
}

/// Three digits, or all before the point.
fn number(us: f64) -> String {
    let digits = if us < 10.0 { 2 } else { usize::from(us < 100.0) };
    format!("{us:.digits$}")
}
