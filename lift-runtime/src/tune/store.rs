//! What was found, kept: a text file in the user's cache folder, or any other that an application
//! ships.
//!
//! A line is a choice: program, sizes, device, version of its driver, time, memory, form, and a
//! checksum of all that. Lines stand in order and mean something by themselves, so that files can be
//! compared and merged. A line that was damaged is not believed: the file is set aside as it is, and
//! what is sound of it goes on.
//!
//! A writer holds a lock, reads what others have written, adds its own, and renames a finished file
//! over the old one: readers see the one or the other.

use super::{Choice, Found, Front};
use crate::{Error, cache};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    path: PathBuf,
}

/// What choices are for. Another version of the driver is another device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Name and hash.
    pub program: String,
    /// `N=4 M=8`, in the order of the program's `<…>`.
    pub sizes: String,
    pub device: String,
    pub version: String,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    pub fronts: BTreeMap<Key, Front>,
    /// Lines that are not believed.
    pub damaged: Vec<String>,
}

const HEADER: &str = "# Forms of lift's programs that were measured: program | sizes | device | driver | time | memory | \
form | checksum";

impl Key {
    /// Device and driver may be called anything.
    pub fn new(program: String, sizes: String, device: &str, version: &str) -> Key {
        let plain = |text: &str| text.replace('|', "/").split_whitespace().collect::<Vec<_>>().join(" ");
        Key { program, sizes, device: plain(device), version: plain(version) }
    }

    fn line(&self, found: &Found) -> String {
        let Key { program, sizes, device, version } = self;
        let (nanoseconds, bytes) = (found.time.as_nanos(), found.bytes);
        let content = format!(
            "{program} | {sizes} | {device} | {version} | {nanoseconds} ns | {bytes} bytes | {}",
            found.choice
        );
        format!("{content} | {}\n", checksum(&content))
    }

    fn read(line: &str) -> Option<(Key, Found)> {
        let (content, sum) = line.rsplit_once(" | ")?;
        if sum != checksum(content) {
            return None;
        }
        let parts: Vec<&str> = content.split(" | ").collect();
        let [program, sizes, device, version, time, bytes, choice] = parts[..] else { return None };
        let key = Key {
            program: program.into(),
            sizes: sizes.into(),
            device: device.into(),
            version: version.into(),
        };
        let time = Duration::from_nanos(time.strip_suffix(" ns")?.parse().ok()?);
        let bytes = bytes.strip_suffix(" bytes")?.parse().ok()?;
        Some((key, Found { choice: choice.parse().ok()?, time, bytes }))
    }
}

impl Table {
    fn parse(text: &str) -> Table {
        let mut table = Table::default();
        // A last line without its end was cut off.
        for line in text.split_inclusive('\n') {
            let whole = line.strip_suffix('\n').map(|line| line.trim_end_matches('\r'));
            match whole {
                Some(line) if line.is_empty() || line.starts_with('#') => {}
                _ => match whole.and_then(Key::read) {
                    Some((key, found)) => {
                        table.fronts.entry(key).or_default().insert(found);
                    }
                    None => table.damaged.push(line.trim_end().to_string()),
                },
            }
        }
        table
    }

    fn text(&self) -> String {
        let lines = self.fronts.iter().flat_map(|(key, front)| front.iter().map(|found| key.line(found)));
        format!("{HEADER}\n{}", lines.collect::<String>())
    }
}

fn checksum(content: &str) -> String {
    blake3::hash(content.as_bytes()).to_hex()[..8].to_string()
}

impl Store {
    /// The file of this name; it need not be there yet.
    pub fn new(path: impl Into<PathBuf>) -> Store {
        Store { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file holds; nothing if there is none.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn read(&self) -> Result<Table, Error> {
        match std::fs::read(&self.path) {
            Ok(bytes) => Ok(Table::parse(&String::from_utf8_lossy(&bytes))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Table::default()),
            Err(error) => Err(self.error("can't be read", error)),
        }
    }

    /// Adds what was found to what is there.
    ///
    /// # Errors
    /// The file can't be written: it stays as it was.
    pub fn merge(&self, key: &Key, front: &Front) -> Result<(), Error> {
        self.settle(key, &[], front)
    }

    /// What a search found in the end, which tried these choices: whatever else was kept of them goes.
    ///
    /// # Errors
    /// As [`Store::merge`].
    pub(super) fn settle(&self, key: &Key, tried: &[&Choice], front: &Front) -> Result<(), Error> {
        self.change(|table| {
            let there = table.fronts.entry(key.clone()).or_default();
            tried.iter().for_each(|choice| there.remove(choice));
            front.iter().for_each(|found| {
                there.insert(found.clone());
            });
        })
    }

    /// Removes a choice, which was found not to be right.
    ///
    /// # Errors
    /// As [`Store::merge`].
    pub fn remove(&self, key: &Key, choice: &Choice) -> Result<(), Error> {
        self.change(|table| {
            if let Some(front) = table.fronts.get_mut(key) {
                front.remove(choice);
            }
        })
    }

    fn change(&self, change: impl FnOnce(&mut Table)) -> Result<(), Error> {
        let written = |error| self.error("can't be written", error);
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(written)?;
        let lock = File::create(self.beside("lock")).map_err(written)?;
        lock.lock().map_err(written)?;
        let mut table = self.read()?;
        if !table.damaged.is_empty() {
            self.set_aside(&table).map_err(written)?;
        }
        change(&mut table);
        table.fronts.retain(|_, front| !front.is_empty());
        let mut file = cache::temporary(folder).map_err(written)?;
        file.write_all(table.text().as_bytes()).map_err(written)?;
        file.as_file().sync_all().map_err(written)?;
        file.persist(&self.path).map_err(|e| written(e.error))?;
        Ok(())
    }

    /// Keeps a damaged file under a name of its own: somebody may want to look at it.
    fn set_aside(&self, table: &Table) -> std::io::Result<()> {
        let name = self.beside(&format!("damaged-{}", checksum(&table.damaged.join("\n"))));
        let count = table.damaged.len();
        log::warn!("{count} lines of {} are damaged; it is kept as {}", self.path.display(), name.display());
        std::fs::copy(&self.path, &name).map(|_| ())
    }

    fn beside(&self, extension: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".");
        name.push(extension);
        name.into()
    }

    fn error(&self, what: &str, error: std::io::Error) -> Error {
        Error::Io { doing: format!("the store {} {what}", self.path.display()), error }
    }
}
