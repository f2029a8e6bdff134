//! The figures: what each shows, and how its rows are drawn.

use crate::sheet::{Sheet, write};
use crate::{constraints, expectancy, exploration, parameters, pareto, throughput};
use std::error::Error;
use std::path::{Path, PathBuf};

pub struct Figure {
    /// The command's, and the first part of its files'.
    pub name: &'static str,
    pub title: &'static str,
    /// Which figures of the papers show the same.
    pub source: &'static str,
    /// What it shows, in two sentences.
    pub text: &'static str,
    /// Measured on a device, not the same everywhere.
    pub of_device: bool,
    pub draw: fn(&Sheet) -> Result<Picture, Box<dyn Error>>,
}

pub enum Picture {
    Svg(String),
    /// A table, in Markdown.
    Table(String),
}

pub static FIGURES: [&Figure; 6] = [
    &throughput::FIGURE,
    &pareto::FIGURE,
    &exploration::FIGURE,
    &expectancy::FIGURE,
    &constraints::FIGURE,
    &parameters::FIGURE,
];

/// Draws a sheet, beside it.
pub fn draw(path: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let (extension, text) = match picture(path)? {
        Picture::Svg(text) => ("svg", text),
        Picture::Table(text) => ("md", text),
    };
    let drawn = path.with_extension(extension);
    write(&drawn, &text)?;
    Ok(drawn)
}

/// What a sheet shows, which its name tells.
pub fn picture(path: &Path) -> Result<Picture, Box<dyn Error>> {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let figure = FIGURES.iter().find(|figure| stem.split('-').next() == Some(figure.name));
    let figure = figure.ok_or_else(|| {
        let names: Vec<_> = FIGURES.iter().map(|figure| figure.name).collect();
        format!("{}: the name begins with that of no figure ({})", path.display(), names.join(", "))
    })?;
    (figure.draw)(&Sheet::read(path)?).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Rows of words as a table; the first has the names of columns.
pub fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let rule = |row: &Vec<String>| format!("|{}\n", " --- |".repeat(row.len()));
    let mut lines = rows.iter();
    let head = lines.next().map(|row| line(row) + &rule(row)).unwrap_or_default();
    lines.fold(head, |table, row| table + &line(row))
}
