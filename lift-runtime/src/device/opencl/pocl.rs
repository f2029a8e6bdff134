//! One driver keeps built kernels on disk by itself, and loads them without asking whose they are: the Portable Computing
//! Language.

use crate::trust;
use std::io;
use std::path::PathBuf;

pub const PLATFORM: &str = "Portable Computing Language";

/// Refuses to have kernels loaded that somebody else could have put there.
pub fn check_cache() -> io::Result<()> {
    let folder = trust::resolve(&cache())?;
    match trust::existing_folder(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The folder, by the variables that pocl read when it was loaded.
fn cache() -> PathBuf {
    let variable = |name: &str| super::variable(name).map(PathBuf::from);
    let caches = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let usual = || caches().unwrap_or_else(|| "/tmp".into()).join("pocl/kcache");
    variable("POCL_CACHE_DIR").unwrap_or_else(usual)
}
