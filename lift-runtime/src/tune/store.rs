//! Keeps what was found: a text file in the user's cache folder, or any other that an application ships.
//!
//! A line is a choice: program, sizes, device, version of its driver, time, memory, form, and a
//! checksum of all that. Lines stand in order and mean something by themselves, so that files can be
//! compared and merged. A line that was damaged is not believed: the file is set aside as it is, and
//! what is sound of it goes on.
//!
//! A writer holds a lock, reads what others have written, adds its own, and renames a finished file
//! over the old one: readers see the one or the other. Symbolic links are followed first, so that they stay.
//!
//! A file that somebody else could have written to is not used; see [`trust`].

use super::{Choice, Found, Front};
use crate::{Error, trust};
use lift_core::schedules::Schedule;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file of choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    path: PathBuf,
}

/// The program, sizes and device that choices are for. With another version of the driver a device is another one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Name and hash.
    pub program: String,
    /// `N=4 M=8`, in the order of the program's `<…>`.
    pub sizes: String,
    /// The device's name, white space and `|` replaced.
    pub device: String,
    /// The version of its driver, treated in the same way.
    pub version: String,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What was found for each program, sizes and device.
    pub fronts: BTreeMap<Key, Front>,
    /// Lines that are not believed.
    pub damaged: Vec<String>,
}

/// A file of hundreds of thousands of choices.
const LARGEST: u64 = 64 << 20;

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
        Some((key, Found { choice: renamed(choice.parse().ok()?), time, bytes }))
    }
}

/// A choice of an older version, which wrote `W_` for a schedule's parameter `W` where the program had a size of that name. Any
/// other name stays: of no parameter, it makes the choice one that there is no form of.
fn renamed(mut choice: Choice) -> Choice {
    let schedule = choice.schedule.as_deref().and_then(Schedule::named);
    for parameter in schedule.map_or(&[][..], |schedule| schedule.parameters) {
        let older = |name: &str| name.trim_end_matches('_') == parameter.name;
        if choice.value(parameter.name).is_none()
            && let Some((name, _)) = choice.point.iter_mut().find(|(name, _)| older(name))
        {
            *name = parameter.name.to_string();
        }
    }
    choice
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

    /// Where the file is, or will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file holds; nothing if there is none.
    ///
    /// # Errors
    /// The file can't be read: it is too large or no regular file, or it is not used, because somebody else could have
    /// written to it.
    pub fn read(&self) -> Result<Table, Error> {
        load(&self.path).map_err(|error| self.error("can't be read", error))
    }

    /// Adds what was found to the file.
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
        self.replace(change).map_err(|error| self.error("can't be written", error))
    }

    fn replace(&self, change: impl FnOnce(&mut Table)) -> io::Result<()> {
        let path = &trust::resolve(&self.path)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        if !folder.exists() {
            trust::folder(folder)?;
        }
        let lock = trust::lock_file(&beside(path, "lock"))?;
        lock.lock()?;
        let mut table = load(path)?;
        if !table.damaged.is_empty() {
            set_aside(path, &table)?;
        }
        change(&mut table);
        table.fronts.retain(|_, front| !front.is_empty());
        let text = table.text();
        // Nobody could read it.
        if text.len() as u64 > LARGEST {
            return Err(ErrorKind::FileTooLarge.into());
        }
        persist(path, folder, text.as_bytes())
    }

    fn error(&self, what: &str, error: io::Error) -> Error {
        Error::Io { doing: format!("the store {} {what}", self.path.display()), error }
    }
}

fn load(path: &Path) -> io::Result<Table> {
    match trust::read(path, LARGEST) {
        Ok(bytes) => Ok(Table::parse(&String::from_utf8_lossy(&bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Table::default()),
        Err(error) => Err(error),
    }
}

/// Replaces a file as a whole. Who may read the old one may read the new one.
fn persist(path: &Path, folder: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = trust::temporary_file(folder)?;
    file.write_all(content)?;
    if let Some(old) = path.symlink_metadata().ok().filter(Metadata::is_file) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Keeps a damaged file under a name of its own: somebody may want to look at it.
fn set_aside(path: &Path, table: &Table) -> io::Result<()> {
    let name = beside(path, &format!("damaged-{}", checksum(&table.damaged.join("\n"))));
    let count = table.damaged.len();
    log::warn!("{count} lines of {} are damaged; it is kept as {}", path.display(), name.display());
    let folder = path.parent().unwrap_or(Path::new("/"));
    persist(&name, folder, &trust::read(path, LARGEST)?)
}

fn beside(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(extension);
    name.into()
}
