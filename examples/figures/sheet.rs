//! A figure's data: a row for each thing measured, as CSV, and above them how they came about.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::error::Error;
use std::path::{Path, PathBuf};

/// A CSV file that can be drawn, wherever it was measured.
pub struct Sheet {
    /// The command that made it.
    pub command: String,
    pub device: String,
    /// With a line of names.
    pub rows: String,
}

impl Sheet {
    pub fn new<R: Serialize>(command: &str, device: &str, rows: &[R]) -> Result<Sheet, Box<dyn Error>> {
        let mut writer = csv::Writer::from_writer(vec![]);
        rows.iter().try_for_each(|row| writer.serialize(row))?;
        let rows = String::from_utf8(writer.into_inner()?)?;
        Ok(Sheet { command: command.into(), device: device.into(), rows })
    }

    pub fn read(path: &Path) -> Result<Sheet, Box<dyn Error>> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut lines = text.splitn(3, '\n');
        let mut comment = || lines.next().and_then(|line| line.strip_prefix("# "));
        let (Some(command), Some(device)) = (comment(), comment()) else {
            return Err(format!("{}: two lines with `# ` are expected first", path.display()).into());
        };
        let (command, device) = (command.to_string(), device.to_string());
        Ok(Sheet { command, device, rows: lines.next().unwrap_or_default().into() })
    }

    pub fn rows<R: DeserializeOwned>(&self) -> Result<Vec<R>, csv::Error> {
        csv::Reader::from_reader(self.rows.as_bytes()).into_deserialize().collect()
    }

    pub fn write(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        write(path, &format!("# {}\n# {}\n{}", self.command, self.device, self.rows))
    }
}

/// A file in a folder that may not be there yet.
pub fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    let failed = |e| format!("{}: {e}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    Ok(std::fs::write(path, text).map_err(failed)?)
}

/// The sheets of a figure in a folder, by name.
pub fn of(folder: &Path, figure: &str) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, std::io::Error>>()?;
    let named = |path: &PathBuf| {
        let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        path.extension().is_some_and(|e| e == "csv") && stem.split('-').next() == Some(figure)
    };
    let mut all: Vec<PathBuf> = paths.into_iter().filter(named).collect();
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::Sheet;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Row {
        name: String,
        value: Option<f64>,
    }

    #[test]
    fn what_is_written_is_read() {
        let rows = ["plain", "with, comma", "with \"marks\""].map(|n| Row { name: n.into(), value: None });
        let mut rows = Vec::from(rows);
        rows.push(Row { name: String::new(), value: Some(1.0 / 3.0) });
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/throughput-cpu.csv");
        Sheet::new("figures throughput", "cpu, two cores", &rows)
            .and_then(|s| s.write(&path))
            .expect("it can");
        let sheet = Sheet::read(&path).expect("it is there");
        assert_eq!((&*sheet.command, &*sheet.device), ("figures throughput", "cpu, two cores"));
        assert_eq!(sheet.rows::<Row>().expect("the same rows"), rows);
        assert_eq!(super::of(path.parent().expect("it has"), "throughput").expect("it is there"), [path]);
    }
}
