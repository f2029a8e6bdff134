//! Built kernels on disk.
//!
//! A file is its content and a checksum after it, over the content and the file's own name: what a
//! crash cut short, a disk damaged or a person renamed is not believed but rebuilt. Shared
//! libraries can be loaded as they lie, since ELF and Mach-O ignore what follows.

use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A folder of built kernels, or none.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
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
    pub fn new(folder: Option<PathBuf>) -> Cache {
        Cache { folder }
    }

    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }

    /// The content of this name, if it is there and sound; a damaged one is removed.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut bytes = std::fs::read(self.path(name)?).ok()?;
        let content = bytes.len().checked_sub(blake3::OUT_LEN);
        match content.filter(|at| checksum(name, &bytes[..*at]).as_bytes() == &bytes[*at..]) {
            Some(at) => bytes.truncate(at),
            None => {
                self.remove(name, "its checksum is wrong");
                return None;
            }
        }
        Some(bytes)
    }

    /// Keeps the content. A folder that can't be written costs time on the next run, no more.
    pub fn write(&self, name: &str, content: &[u8]) {
        let Some(folder) = &self.folder else { return };
        if let Err(error) = persist(folder, name, content) {
            log::warn!("the kernel can't be kept in {}: {error}", folder.display());
        }
    }

    pub fn remove(&self, name: &str, why: &str) {
        let Some(path) = self.path(name) else { return };
        log::warn!("{} is thrown away and built again: {why}", path.display());
        if let Err(error) = std::fs::remove_file(&path) {
            log::warn!("{} can't be removed: {error}", path.display());
        }
    }
}

fn checksum(name: &str, content: &[u8]) -> blake3::Hash {
    blake3::Hasher::new().update(name.as_bytes()).update(content).finalize()
}

/// Written beside and renamed, so that no reader ever sees half a file.
fn persist(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = temporary(folder)?;
    file.write_all(content)?;
    file.write_all(checksum(name, content).as_bytes())?;
    file.persist(folder.join(name)).map_err(|e| e.error)?;
    Ok(())
}

/// A file to be renamed, for others to read too, as far as the user's mask allows.
pub fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_files_come_back_and_damaged_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(Some(folder.path().join("deeper")));
        assert_eq!(cache.read("a"), None);
        cache.write("a", b"content");
        assert_eq!(cache.read("a").as_deref(), Some(&b"content"[..]));

        let path = cache.path("a").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.read("a"), None, "cut to {length} bytes");
            assert!(!path.exists());
        }
        std::fs::write(cache.path("b").unwrap(), &whole).unwrap();
        assert_eq!(cache.read("b"), None, "another's content");
    }

    #[test]
    fn a_folder_that_can_not_be_written_is_no_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = Cache::new(Some(file.path().to_path_buf()));
        cache.write("a", b"content");
        assert_eq!(cache.read("a"), None);
    }

    #[test]
    fn parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
    }
}
