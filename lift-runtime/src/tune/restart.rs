//! This program, to be started again as what it is, though another may bear its name by now: programs are replaced
//! while they run, by an upgrade or a build.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Linux's name for the file that this process runs, whatever became of it. Read as a link it would name another:
/// ` (deleted)` is added where the file was replaced, and a file may have that very name.
const ITSELF: &str = "/proc/self/exe";

/// Where this program was when it began, and which file it was then.
static FIRST: OnceLock<Option<(PathBuf, Metadata)>> = OnceLock::new();

/// Finds out where this program is, before anything else happens.
pub fn remember() {
    FIRST.get_or_init(|| {
        let path = std::path::absolute(std::env::current_exe().ok()?).ok()?;
        let about = path.metadata().ok()?;
        Some((path, about))
    });
}

/// Has the program said that it can be started again?
pub fn prepared() -> bool {
    FIRST.get().is_some()
}

/// The file to start.
pub fn program() -> io::Result<PathBuf> {
    if cfg!(any(target_os = "linux", target_os = "android")) && Path::new(ITSELF).exists() {
        return Ok(ITSELF.into());
    }
    match FIRST.get() {
        Some(Some((path, _))) => Ok(path.clone()),
        _ => std::env::current_exe(),
    }
}

/// Is it still the file that this process runs?
///
/// # Errors
/// Says what it is instead.
pub fn unchanged(program: &Path) -> io::Result<()> {
    let Some(Some((path, before))) = FIRST.get() else { return Ok(()) };
    if path != program || is_same(&path.metadata()?, before) {
        return Ok(());
    }
    Err(io::Error::other("it was replaced since this process began"))
}

/// Is this the program itself, under the system's name for it?
pub fn is_itself(program: &Path) -> bool {
    program == Path::new(ITSELF)
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino(), a.len(), a.mtime()) == (b.dev(), b.ino(), b.len(), b.mtime())
}

#[cfg(not(unix))]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    (a.len(), a.modified().ok()) == (b.len(), b.modified().ok())
}
