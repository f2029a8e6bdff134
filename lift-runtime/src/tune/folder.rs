//! A worker's folder, for temporary files of the worker and its compiler.
//!
//! Whoever removes such a folder must know that it is one. The tuner writes a token into it, sends the same line to
//! the worker's standard input, and both hold a lock on that file as long as they live. So a worker recognises
//! the folder that its tuner made for it, whatever the environment says, and a later search recognises folders
//! that nobody uses any more: those whose lock it gets.

use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Set in a worker: its folder.
pub const VARIABLE: &str = "LIFT_TUNE_WORKER";

const PREFIX: &str = "lift-worker-";
const TOKEN: &str = "token";
const UNFINISHED: &str = "token.new";

/// No token is longer.
const LONGEST: u64 = 1 << 10;

/// The folder of a worker, as its tuner sees it. Dropped, it is removed.
pub struct Folder {
    folder: TempDir,
    token: String,
    _lock: File,
}

impl Folder {
    /// Makes a folder that nobody else can read.
    pub fn new() -> io::Result<Folder> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.prefix(PREFIX).tempdir()?;
        let token = token_of(folder.path(), random());
        // It has its final name when it is complete and locked: before that nobody takes it for a token.
        let unfinished = folder.path().join(UNFINISHED);
        let mut file = OpenOptions::new().read(true).write(true).create_new(true).open(&unfinished)?;
        hold(&file);
        file.write_all(token.as_bytes())?;
        std::fs::rename(&unfinished, folder.path().join(TOKEN))?;
        Ok(Folder { folder, token, _lock: file })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The line that a worker is sent first.
    pub fn token(&self) -> &str {
        &self.token
    }
}

/// The same folder, as its worker sees it.
pub struct Workplace {
    path: PathBuf,
    _lock: File,
}

impl Workplace {
    /// The folder that the variable names, if who writes to this process made it.
    ///
    /// # Errors
    /// Why it is not believed, in words.
    pub fn enter(path: &Path, mut input: impl BufRead) -> Result<Workplace, String> {
        let no_worker = |why: &str| format!("{} {why}", path.display());
        let (file, token) =
            token(path).map_err(|error| no_worker(&format!("is no worker's folder: {error}")))?;
        hold(&file);
        let mut line = vec![];
        let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
        match read {
            Ok(_) if line == token => Ok(Workplace { path: path.to_path_buf(), _lock: file }),
            Ok(_) => Err(no_worker("is not the folder of whoever started this process")),
            Err(error) => Err(format!("standard input can't be read: {error}")),
        }
    }

    /// Removes it: nobody else is there any more who would.
    pub fn remove(&self) {
        remove(&self.path);
    }
}

/// Removes the folders that killed tuners and workers left behind.
pub fn sweep(parent: &Path) {
    let Ok(entries) = parent.read_dir() else { return };
    for entry in entries.filter_map(Result::ok) {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let path = entry.path();
        // Neither its tuner nor its worker holds the lock, nor can they come back.
        if let Ok((file, _)) = token(&path)
            && file.try_lock().is_ok()
        {
            remove(&path);
        }
    }
}

/// Never follows a link, not even where one takes the folder's place meanwhile.
fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder) {
        log::debug!("{} can't be removed: {error}", folder.display());
    }
}

/// Says that somebody lives here. A file system without locks has nothing swept.
fn hold(file: &File) {
    if let Err(error) = file.try_lock_shared() {
        log::debug!("a worker's folder can't be locked: {error}");
    }
}

/// The token of a folder that this user's tuner made, under the name that it was made with.
fn token(folder: &Path) -> io::Result<(File, Vec<u8>)> {
    let refused = |why: &str| io::Error::new(io::ErrorKind::PermissionDenied, why);
    let about = folder.symlink_metadata()?;
    if !about.is_dir() || !is_private(&about) {
        return Err(refused("it is not a folder of this user alone"));
    }
    // Nobody else can change what lies in there.
    let path = folder.join(TOKEN);
    let about = path.symlink_metadata()?;
    if !about.is_file() || !is_own(&about) || about.len() > LONGEST {
        return Err(refused("its token is none"));
    }
    let mut file = OpenOptions::new().read(true).write(true).open(path)?;
    let mut token = vec![];
    (&mut file).take(LONGEST).read_to_end(&mut token)?;
    file.rewind()?;
    if !token.starts_with(token_of(folder, String::new()).trim_end().as_bytes()) {
        return Err(refused("its token is another folder's"));
    }
    Ok((file, token))
}

fn token_of(folder: &Path, random: String) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    format!("lift worker {name} {random}\n")
}

/// Not to be guessed: the standard library's keys come from the system.
fn random() -> String {
    let numbers = [0, 1].map(|part: u8| RandomState::new().hash_one(part));
    numbers.map(|number| format!("{number:016x}")).concat()
}

#[cfg(unix)]
fn is_own(about: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(about) == rustix::process::geteuid().as_raw()
}

#[cfg(unix)]
fn is_private(about: &Metadata) -> bool {
    is_own(about) && std::os::unix::fs::MetadataExt::mode(about) & 0o077 == 0
}

/// Elsewhere a user's temporary folder is the user's own.
#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn is_private(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(parent: &Path) -> Vec<String> {
        let names = parent.read_dir().unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    /// A folder in `parent` whose tuner lives as long as the lock that comes with it.
    fn made(parent: &Path, name: &str, mode: u32) -> (PathBuf, File) {
        let path = parent.join(name);
        std::fs::create_dir(&path).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
        std::fs::write(path.join(TOKEN), token_of(&path, random())).unwrap();
        std::fs::write(path.join("kernels.c"), "").unwrap();
        let file = OpenOptions::new().read(true).write(true).open(path.join(TOKEN)).unwrap();
        hold(&file);
        (path, file)
    }

    #[test]
    fn only_what_nobody_holds_and_a_tuner_made_is_swept() {
        let parent = tempfile::tempdir().unwrap();
        let (_, held) = made(parent.path(), "lift-worker-live", 0o700);
        drop(made(parent.path(), "lift-worker-dead", 0o700));
        drop(made(parent.path(), "lift-worker-open", 0o777));
        drop(made(parent.path(), "another", 0o700));
        // Another folder, renamed: its token says which it was.
        drop(made(parent.path(), "lift-worker-before", 0o700));
        std::fs::rename(parent.path().join("lift-worker-before"), parent.path().join("lift-worker-after"))
            .unwrap();
        std::fs::create_dir(parent.path().join("lift-worker-empty")).unwrap();
        std::fs::write(parent.path().join("lift-worker-file"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(parent.path().join("another"), parent.path().join("lift-worker-link"))
            .unwrap();
        let before = left(parent.path());
        sweep(parent.path());
        let mut kept = before;
        kept.retain(|name| name != "lift-worker-dead" && (cfg!(unix) || name != "lift-worker-open"));
        assert_eq!(left(parent.path()), kept);
        drop(held);
        sweep(parent.path());
        kept.retain(|name| name != "lift-worker-live");
        assert_eq!(left(parent.path()), kept);
    }

    #[test]
    fn a_worker_believes_its_tuner_only() {
        let parent = tempfile::tempdir().unwrap();
        let (path, _held) = made(parent.path(), "lift-worker-a", 0o700);
        let token = std::fs::read(path.join(TOKEN)).unwrap();
        assert!(Workplace::enter(&path, &token[..]).is_ok());
        for said in [&b""[..], b"\n", b"lift worker lift-worker-a \n", &token[..token.len() - 1]] {
            assert!(Workplace::enter(&path, said).is_err());
        }
        assert!(Workplace::enter(parent.path(), &token[..]).is_err());
        assert!(Workplace::enter(&parent.path().join("lift-worker-b"), &token[..]).is_err());
    }

    #[test]
    fn a_tuners_folder_is_its_own_and_goes_with_it() {
        let folder = Folder::new().unwrap();
        let (path, token) = (folder.path().to_path_buf(), folder.token().to_string());
        sweep(path.parent().unwrap());
        let place = Workplace::enter(&path, token.as_bytes()).unwrap();
        assert!(Folder::new().unwrap().token() != token);
        drop(folder);
        assert!(!path.exists());
        place.remove();
    }
}
