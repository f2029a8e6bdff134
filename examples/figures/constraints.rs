//! How often each rule of placement is applied: CC'22, table 4.

use crate::figure::{Figure, Picture, markdown};
use crate::mapped::{Fusion, Space};
use crate::session::Session;
use crate::sheet::Sheet;
use serde::{Deserialize, Serialize};
use std::error::Error;

pub static FIGURE: Figure = Figure {
    name: "constraints",
    title: "Constraints of placements",
    source: "CC'22, table 4",
    text: "How many constraints each rule makes of the maps and parameters of the schedule `mapped`, for each choice of what is \
           fetched into shared memory, beside CC'22's for its form of the layer. Synchronisability and \
           what needs memory is what that paper checked only after code had been generated, where 95 % of its candidates failed.",
    of_device: false,
    draw,
};

#[derive(Serialize, Deserialize)]
pub struct Row {
    pub layer: usize,
    /// What the form fetches into shared memory.
    pub options: String,
    pub maps: usize,
    pub rule: String,
    pub source: String,
    pub constraints: usize,
    pub paper: Option<usize>,
}

/// CC'22's words for our rules, and its numbers.
const PAPER: [(&str, usize); 6] = [
    ("private scoping", 32),
    ("local scoping", 13),
    ("duplicate scheduling", 34),
    ("local and group dimensions", 1),
    ("hierarchy", 34),
    ("exhaustive indexing", 9),
];

/// What tiles are copied to local memory: nothing, as in the paper's first program, or some.
const SELECTIONS: [&[&str]; 4] = [&[], &["inputs"], &["weights"], &["inputs", "weights"]];

pub fn count(session: &Session) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut rows = vec![];
    for layer in session.layers(&[19]) {
        for options in SELECTIONS {
            let space = Space::new(&layer, options, Fusion::Free)?;
            let sources = lift::constraints::RULES.into_iter().chain([&lift::constraints::PARAMETERS]);
            for ((rule, constraints), source) in space.placements.counts().into_iter().zip(sources) {
                let row = Row {
                    layer: layer.number,
                    options: options.join(" and "),
                    maps: space.placements.free(),
                    rule: rule.into(),
                    source: source.source.into(),
                    constraints,
                    paper: PAPER.iter().find(|(name, _)| *name == rule).map(|(_, count)| *count),
                };
                session.tell(&row)?;
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn draw(sheet: &Sheet) -> Result<Picture, Box<dyn Error>> {
    let rows: Vec<Row> = sheet.rows()?;
    let mut columns: Vec<(usize, &str, usize)> = vec![];
    let mut rules: Vec<(&str, &str, Option<usize>)> = vec![];
    for row in &rows {
        let (column, rule) = ((row.layer, &*row.options, row.maps), (&*row.rule, &*row.source, row.paper));
        if !columns.contains(&column) {
            columns.push(column);
        }
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    let shared = |options: &str| if options.is_empty() { "nothing".to_string() } else { options.to_string() };
    let heads = columns.iter().map(|(layer, options, _)| format!("layer {layer}, {}", shared(options)));
    let fixed = ["rule", "source", "CC'22"].map(String::from);
    let mut table = vec![fixed.into_iter().chain(heads).collect::<Vec<_>>()];
    let cells = |rule: &str| {
        let of = |(layer, options, _): &(usize, &str, usize)| {
            let own = |row: &&Row| row.layer == *layer && row.options == *options && row.rule == rule;
            rows.iter().find(own).map_or(0, |row| row.constraints).to_string()
        };
        columns.iter().map(of).collect::<Vec<_>>()
    };
    for (rule, source, paper) in &rules {
        let paper = paper.map_or(String::new(), |count| count.to_string());
        table.push([vec![rule.to_string(), source.to_string(), paper], cells(rule)].concat());
    }
    let sum = |(layer, options, _): &(usize, &str, usize)| {
        let own = rows.iter().filter(|row| row.layer == *layer && row.options == *options);
        own.map(|row| row.constraints).sum::<usize>().to_string()
    };
    let paper: usize = PAPER.iter().map(|(_, count)| count).sum();
    let totals = vec!["all".into(), String::new(), paper.to_string()];
    table.push([totals, columns.iter().map(sum).collect()].concat());
    let maps = vec!["maps that are placed".into(), String::new(), "12".into()];
    table.push([maps, columns.iter().map(|(.., maps)| maps.to_string()).collect()].concat());
    Ok(Picture::Table(markdown(&table)))
}

#[cfg(test)]
mod tests {
    /// Its text says 123.
    #[test]
    fn the_papers_rules_are_ours() {
        for (name, _) in super::PAPER {
            assert!(lift::constraints::RULES.iter().any(|rule| rule.name == name), "{name}");
        }
        assert_eq!(super::PAPER.iter().map(|(_, n)| n).sum::<usize>(), 123);
    }
}
