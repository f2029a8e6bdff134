//! Built kernels on disk.
//!
//! A file is its content followed by a checksum over the content and the file's own name. A file that a crash
//! cut short, a disk damaged or a person renamed is not believed, and its kernel is built again. Nor is a
//! folder or a file believed that somebody else could have written to: see [`trust`].
//!
//! A folder has a limit. Now and then its files are counted, and the ones that were used longest ago are removed.

use crate::trust;
use std::fs::{DirEntry, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// No kernel is larger.
const LARGEST: u64 = 256 << 20;

/// All files are counted each time that about this many have been written.
const SELDOM: u32 = 16;

/// Disks give files whole blocks.
const BLOCK: u64 = 4096;

/// The time at which a file was last used is noted to the hour.
const HOUR: Duration = Duration::from_secs(3600);

/// A folder of built kernels, or none.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// Bytes that the folder may take.
    limit: u64,
}

/// A name made of everything that decides the content.
pub fn key(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length first, so that parts can't run into each other.
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

impl Cache {
    pub fn new(folder: Option<PathBuf>, limit: u64) -> Cache {
        Cache { folder, limit }
    }

    /// The folder, if it is there and nobody else may write to it.
    pub fn folder(&self) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        match trust::existing_folder(folder) {
            Ok(folder) => Some(folder),
            Err(error) => {
                if error.kind() != ErrorKind::NotFound {
                    trust::not_used(folder, &error);
                }
                None
            }
        }
    }

    /// The content of this name, if it is there and sound; a damaged one is removed.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder()?.join(name);
        let file = match trust::open(&path, LARGEST) {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            other => other,
        };
        let sound = file.and_then(|file| {
            let content = sound(name, trust::contents(&file, LARGEST)?)?;
            note_use(&file);
            Ok(content)
        });
        sound.map_err(|error| remove(&path, &error.to_string())).ok()
    }

    /// Keeps the content. A folder that can't be written costs time on the next run, no more.
    pub fn write(&self, name: &str, content: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let kept = trust::folder(folder).and_then(|folder| {
            persist(&folder, name, content)?;
            if fastrand::u32(..SELDOM) == 0 { sweep(&folder, self.limit) } else { Ok(()) }
        });
        if let Err(error) = kept {
            trust::not_used(folder, &error);
        }
    }

    /// Removes a file that can't be used, and logs why.
    pub fn remove(&self, name: &str, why: &str) {
        if let Some(folder) = self.folder() {
            remove(&folder.join(name), why);
        }
    }
}

fn remove(path: &Path, why: &str) {
    log::warn!("{} is thrown away and built again: {why}", path.display());
    if let Err(error) = std::fs::remove_file(path) {
        log::warn!("{} can't be removed: {error}", path.display());
    }
}

fn sound(name: &str, mut bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    let content = bytes.len().checked_sub(blake3::OUT_LEN);
    match content.filter(|at| checksum(name, &bytes[..*at]).as_bytes() == &bytes[*at..]) {
        Some(at) => bytes.truncate(at),
        None => return Err(io::Error::new(ErrorKind::InvalidData, "its checksum is wrong")),
    }
    Ok(bytes)
}

fn checksum(name: &str, content: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(name.as_bytes()).update(content).finalize()
}

/// Notes that a file is in use now, so that it is removed last. On a disk that can only be read this
/// can't be noted; that is no error.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let last = file.metadata().and_then(|m| m.modified());
    if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|age| age > HOUR)) {
        let _ = file.set_modified(now);
    }
}

/// The file is written under another name and renamed, so that no reader ever sees half a file.
fn persist(folder: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let mut file = trust::temporary_file(folder)?;
    file.write_all(content)?;
    file.write_all(checksum(name, content).as_bytes())?;
    file.persist(folder.join(name)).map_err(|e| e.error)?;
    Ok(())
}

/// Removes the files that were used longest ago until an eighth of the limit is free, and files left behind by
/// processes that were ended while they wrote.
fn sweep(folder: &Path, limit: u64) -> io::Result<()> {
    let mut all: Vec<(SystemTime, u64, PathBuf)> = vec![];
    for entry in std::fs::read_dir(folder)?.filter_map(Result::ok) {
        let Ok(metadata) = entry.metadata() else { continue };
        let (Ok(modified), true) = (metadata.modified(), metadata.is_file()) else { continue };
        if is_kept(&entry) {
            all.push((modified, metadata.len().next_multiple_of(BLOCK), entry.path()));
        } else if is_left_behind(&entry, modified) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    let mut total: u64 = all.iter().map(|(_, size, _)| size).sum();
    if total <= limit {
        return Ok(());
    }
    all.sort();
    for (_, size, path) in all {
        if total <= limit - limit / 8 {
            break;
        }
        // Somebody else may be sweeping, too.
        let _ = std::fs::remove_file(path);
        total -= size;
    }
    Ok(())
}

/// Is it named by a [`key`]? Other things lie there, too.
fn is_kept(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let stem = Path::new(&name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    stem.len() == 2 * blake3::OUT_LEN && stem.bytes().all(|b| b.is_ascii_hexdigit())
}

fn is_left_behind(entry: &DirEntry, modified: SystemTime) -> bool {
    let old = SystemTime::now().duration_since(modified).is_ok_and(|age| age > HOUR);
    old && entry.file_name().to_str().is_some_and(|name| name.starts_with(trust::TEMPORARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_files_come_back_and_damaged_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(folder.path().join("deeper")), u64::MAX);
        assert_eq!(cache.read("a"), None);
        cache.write("a", b"content");
        assert_eq!(cache.read("a").as_deref(), Some(&b"content"[..]));

        let path = folder.path().join("deeper/a");
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.read("a"), None, "cut to {length} bytes");
            assert!(!path.exists());
        }
        std::fs::write(folder.path().join("deeper/b"), &whole).unwrap();
        assert_eq!(cache.read("b"), None, "another's content");
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache::new(Some(file.path().to_path_buf()), u64::MAX);
        cache.write("a", b"content");
        assert_eq!(cache.read("a"), None);
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }

    /// Files of one block, the first the oldest.
    fn filled(folder: &Path, count: u64) -> Vec<PathBuf> {
        let now = SystemTime::now();
        let file = |k: u64| {
            let name = format!("{}.so", key(&[&k.to_string()]));
            persist(folder, &name, b"content").unwrap();
            let path = folder.join(name);
            let age = Duration::from_secs(60 * (count - k));
            File::open(&path).unwrap().set_modified(now - 24 * HOUR - age).unwrap();
            path
        };
        (0..count).map(file).collect()
    }

    #[test]
    fn the_limit_costs_what_was_used_longest_ago() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("tuned.txt");
        std::fs::write(&other, vec![0; 1 << 20]).unwrap();
        let left = folder.path().join(format!("{}gone", trust::TEMPORARY));
        std::fs::write(&left, "half").unwrap();
        let all = filled(folder.path(), 32);
        let cache = Cache::new(Some(folder.path().to_path_buf()), u64::MAX);
        let first = all[0].file_name().unwrap().to_str().unwrap();
        assert_eq!(cache.read(first).as_deref(), Some(&b"content"[..]));
        sweep(folder.path(), 32 * BLOCK).unwrap();
        assert!(all.iter().all(|path| path.exists()) && left.exists(), "there is room");
        File::open(&left).unwrap().set_modified(SystemTime::now() - 2 * HOUR).unwrap();
        sweep(folder.path(), 16 * BLOCK).unwrap();
        let kept: Vec<bool> = all.iter().map(|path| path.exists()).collect();
        let expected: Vec<bool> = (0..32).map(|k| k == 0 || k > 18).collect();
        assert_eq!(kept, expected, "the first was used just now");
        assert!(other.exists() && !left.exists());
    }

    #[test]
    fn many_files_stay_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(folder.path().to_path_buf()), 64 * BLOCK);
        (0..1000).for_each(|k| cache.write(&key(&[&k.to_string()]), b"content"));
        // All are counted so often that it is missed this long only once in a million million runs.
        let count = std::fs::read_dir(folder.path()).unwrap().count();
        assert!(count < 64 + 430, "{count}");
    }

    #[cfg(unix)]
    #[test]
    fn what_others_could_have_written_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("cache");
        let cache = Cache::new(Some(folder.clone()), u64::MAX);
        cache.write("a", b"content");
        let mode = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let is = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!([is(&folder), is(&folder.join("a"))], [0o700, 0o600]);
        for place in [&folder, root.path()] {
            mode(place, 0o777);
            assert_eq!(cache.read("a"), None, "{}", place.display());
            cache.write("b", b"content");
            assert!(!folder.join("b").exists(), "{}", place.display());
            mode(place, 0o700);
            assert!(cache.read("a").is_some());
        }
        mode(&folder.join("a"), 0o666);
        assert_eq!(cache.read("a"), None);
        assert!(!folder.join("a").exists(), "it is made again");
    }
}
