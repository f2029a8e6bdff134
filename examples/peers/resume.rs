//! What was measured before a run was ended: a line of JSON for each case.

use crate::cases::Case;
use crate::row::Row;
use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// A file of rows, and what it held at first.
pub struct Earlier {
    path: PathBuf,
    file: File,
    rows: Vec<Row>,
}

impl Earlier {
    /// Opens a file, or makes it. A last line that was cut off when its run was killed is dropped.
    ///
    /// # Errors
    /// It can't be read and written, or another line is no row.
    pub fn open(path: &Path) -> Result<Earlier, Box<dyn Error>> {
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let (mut file, mut text) = (options.map_err(failed)?, String::new());
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let rows = text[..whole].lines().enumerate().map(|(k, line)| {
            serde_json::from_str(line).map_err(|e| format!("{}, line {}: {e}", path.display(), k + 1))
        });
        let rows = rows.collect::<Result<Vec<Row>, String>>()?;
        file.set_len(whole as u64).and_then(|()| file.seek(std::io::SeekFrom::End(0))).map_err(failed)?;
        Ok(Earlier { path: path.into(), file, rows })
    }

    /// The row of a case that was measured on all these devices, and went well.
    pub fn row(&self, case: &Case, devices: &[String]) -> Option<&Row> {
        let on_all = |row: &Row| devices.iter().all(|device| row.own.iter().any(|own| own.device == *device));
        let same = |row: &&Row| row.family == case.family && row.case == case.name && row.errors.is_empty();
        self.rows.iter().filter(same).find(|row| on_all(row))
    }

    /// Adds a row to the file.
    pub fn add(&mut self, row: &Row) -> Result<(), Box<dyn Error>> {
        let line = serde_json::to_string(row)? + "\n";
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.flush());
        Ok(written.map_err(|e| format!("{}: {e}", self.path.display()))?)
    }
}
