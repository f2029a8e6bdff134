//! The page with all figures: what each shows, and below each the command that made it.

use crate::figure::{FIGURES, Figure, Picture, picture};
use crate::sheet::{self, Sheet};
use std::error::Error;
use std::path::{Path, PathBuf};

const HEAD: &str = "# Figures

The figures of the two papers that the language and its search come from, measured with this library on the devices named
in each; the papers' own were measured on a Mali-G72. Everything was compared with right results before its time counted.
`scripts/figures DEVICE` makes all of a device anew, and this page with them; the numbers are in the CSV files beside the
pictures. The commands are of an example: `figures` is `cargo run --release --example figures --`, and `figures draw FILE.csv`
draws what was measured elsewhere. cuDNN's times are what `scripts/cudnn.py` printed in the same session.
";

/// Writes the page beside the folder.
pub fn write(folder: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let page = folder.with_extension("md");
    sheet::write(&page, &text(folder)?)?;
    Ok(page)
}

fn text(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut text = HEAD.to_string();
    for figure in FIGURES {
        let sheets = sheet::of(folder, figure.name)?;
        if sheets.is_empty() {
            continue;
        }
        let words = wrapped(&format!("({}) {}", figure.source, figure.text));
        text += &format!("\n## {}\n\n{words}\n", figure.title);
        for path in &sheets {
            text += &shown(folder, figure, path)?;
        }
    }
    Ok(text)
}

/// In lines as long as other pages have.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => *line += word,
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 118 => {
                *line += &format!(" {word}")
            }
            _ => lines.push(word.into()),
        }
    }
    lines.join("\n")
}

/// A picture or table, the command under it, and where its numbers are.
fn shown(folder: &Path, figure: &Figure, path: &Path) -> Result<String, Box<dyn Error>> {
    let sheet = Sheet::read(path)?;
    let name = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let link = |path: &Path| format!("{}/{}", name(folder), name(path));
    let shown = match picture(path)? {
        Picture::Svg(_) => {
            format!("![{} on {}]({})", figure.title, sheet.device, link(&path.with_extension("svg")))
        }
        Picture::Table(table) => table.trim_end().to_string(),
    };
    Ok(format!("\n{shown}\n\n    {}\n\n[{}]({})\n", sheet.command, name(path), link(path)))
}

#[cfg(test)]
mod tests {
    use super::{Picture, picture, sheet, text};
    use crate::figure::FIGURES;
    use std::path::Path;

    /// What is in the docs is what their data say; `figures draw docs/figures/*.csv` and `figures page` make it so.
    #[test]
    fn the_docs_show_their_data() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/figures");
        let read =
            |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for figure in FIGURES {
            let sheets = sheet::of(&folder, figure.name).expect("the folder is there");
            assert!(!sheets.is_empty(), "{} is missing", figure.name);
            for path in sheets {
                let (drawn, extension) = match picture(&path).expect("it can be drawn") {
                    Picture::Svg(text) => (text, "svg"),
                    Picture::Table(text) => (text, "md"),
                };
                assert!(
                    drawn == read(&path.with_extension(extension)),
                    "{} shows other data",
                    path.display()
                );
            }
        }
        let page = text(&folder).expect("it can be written");
        assert!(
            page == read(&folder.with_extension("md")),
            "docs/figures.md is not what `figures page` writes"
        );
    }
}
