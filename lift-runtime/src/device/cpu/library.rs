//! Shared libraries: built, checked, loaded, and kept.

use super::compiler::Compiler;
use crate::cache::{self, Cache};
use crate::{Error, trust};
use object::{Object, ObjectKind, ObjectSection, ObjectSegment};
use std::ffi::{c_long, c_void};
use std::io::ErrorKind;
use std::path::Path;
use tempfile::TempDir;

/// No library of kernels is larger.
const LARGEST: u64 = 256 << 20;

/// A kernel's type in C; see [`lift_core::kernel::c`].
pub type Kernel = unsafe extern "C" fn(
    arrays: *const *mut c_void,
    scalars: *const *const c_void,
    begin: c_long,
    end: c_long,
);

/// Kernels, and the library that holds their code.
pub struct Library {
    pub kernels: Vec<Kernel>,
    _library: libloading::Library,
    /// The folder of the file that was loaded, where the system does not let it go before.
    _folder: Option<TempDir>,
}

/// The kernels of a C source text, from the cache or built now. A library is kept only once it has been loaded:
/// one that can't be loaded harms no process but this.
///
/// # Safety
/// Each name must be a function of type [`Kernel`] in the source.
pub unsafe fn build(
    compiler: &Compiler,
    cache: &Cache,
    source: &str,
    names: &[String],
    strict: bool,
) -> Result<Library, Error> {
    let flags = compiler.arguments(strict).join(" ");
    let file = format!("{}.so", cache::key(&["c", source, &flags, &compiler.identity]));
    if let Some((content, path)) = cache.read(&file).zip(cache.folder()) {
        // SAFETY: the checksum says that this is the library that was built from this source.
        match unsafe { load(&content, names, cache, Some(&path.join(&file))) } {
            Ok(library) => return Ok(library),
            Err(reason) => cache.remove(&file, &reason),
        }
    }
    let content = compile(compiler, cache, source, strict)?;
    let failed = |log| Error::Build { device: "cpu".into(), log, text: source.to_string() };
    // SAFETY: this is the library that was just built from the source.
    let library = unsafe { load(&content, names, cache, None) }.map_err(failed)?;
    cache.write(&file, &content);
    Ok(library)
}

fn compile(compiler: &Compiler, cache: &Cache, source: &str, strict: bool) -> Result<Vec<u8>, Error> {
    let io = |doing: &str, error| Error::Io { doing: doing.to_string(), error };
    let folder = first(trust::temporary_folders(cache.folder())).map_err(|error| {
        io("a temporary folder can't be made", error.unwrap_or(ErrorKind::NotFound.into()))
    })?;
    let (text, built) = (folder.path().join("kernels.c"), folder.path().join("kernels.so"));
    std::fs::write(&text, source).map_err(|e| io("the kernels' source can't be written", e))?;
    let failed = |log| Error::Build { device: "cpu".into(), log, text: source.to_string() };
    compiler.run(&text, &built, strict).map_err(failed)?;
    trust::read(&built, LARGEST).map_err(|e| io("the built kernels can't be read", e))
}

/// The first that succeeds, else the first error.
fn first<T, E>(all: impl Iterator<Item = Result<T, E>>) -> Result<T, Option<E>> {
    let mut reason = None;
    for one in all {
        match one {
            Ok(one) => return Ok(one),
            Err(error) => reason = reason.or(Some(error)),
        }
    }
    Err(reason)
}

/// Loads a library from a file of its own, which nobody can cut off while its code runs. Some systems let no
/// code be loaded from their temporary folder: then from the cache's. Where nothing can be written, on a disk that
/// is full, it is loaded as it is kept.
///
/// # Safety
/// It must be one in which each name is a function of type [`Kernel`]; `kept` is a file of the same content.
unsafe fn load(
    content: &[u8],
    names: &[String],
    cache: &Cache,
    kept: Option<&Path>,
) -> Result<Library, String> {
    check(content)?;
    let load = |path: &Path| {
        // SAFETY: the caller's promise is the same.
        let (library, kernels) = unsafe { open(path, names) }.map_err(|error| said(&error))?;
        Ok(Library { kernels, _library: library, _folder: None })
    };
    let copied = trust::temporary_folders(cache.folder()).map(|folder| {
        let folder = folder.map_err(|error| error.to_string())?;
        let path = folder.path().join("kernels.so");
        std::fs::write(&path, content).map_err(|error| error.to_string())?;
        // It is in memory when this returns, and the folder can go, except where systems keep files in use.
        let loaded = load(&path)?;
        Ok(Library { _folder: (!cfg!(unix)).then_some(folder), ..loaded })
    });
    first(copied.chain(kept.map(load))).map_err(Option::unwrap_or_default)
}

/// What a loader says stands in the error's cause.
fn said(error: &libloading::Error) -> String {
    let cause = std::error::Error::source(error);
    cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
}

/// Does the file contain everything that its headers mention? Loaders map parts beyond its end too, and
/// whoever reads these gets a signal.
fn check(content: &[u8]) -> Result<(), String> {
    let kind = object::File::parse(content).and_then(|file| {
        file.segments().try_for_each(|segment| segment.data().map(drop))?;
        file.sections().try_for_each(|section| section.data().map(drop))?;
        Ok(file.kind())
    });
    match kind {
        Ok(ObjectKind::Dynamic) => Ok(()),
        Ok(_) => Err("what was built is no shared library".into()),
        Err(error) => Err(format!("the library that was built is not whole: {error}")),
    }
}

/// # Safety
/// The file must be a sound library in which each name is a function of type [`Kernel`].
unsafe fn open(
    path: &Path,
    names: &[String],
) -> Result<(libloading::Library, Vec<Kernel>), libloading::Error> {
    // SAFETY: the library is sound, and compiled C without constructors: loading it runs nothing.
    let library = unsafe { now(path) }?;
    // SAFETY: the caller says so. The pointers stay good as long as the library beside them.
    let kernel = |name: &String| unsafe { library.get::<Kernel>(name.as_bytes()) }.map(|kernel| *kernel);
    let kernels = names.iter().map(kernel).collect::<Result<_, _>>()?;
    Ok((library, kernels))
}

/// All symbols from other libraries are looked up now: a symbol that is looked up at the first call,
/// and not found, ends the process.
///
/// # Safety
/// As [`open`].
#[cfg(unix)]
unsafe fn now(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the caller's promise is the same.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Into::into)
}

/// # Safety
/// As [`open`].
#[cfg(not(unix))]
unsafe fn now(path: &Path) -> Result<libloading::Library, libloading::Error> {
    // SAFETY: the caller's promise is the same.
    unsafe { libloading::Library::new(path) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    /// Wherever it is cut off.
    #[test]
    fn a_library_that_is_not_whole_is_noticed() {
        let compiler = super::super::compiler(&Settings::default()).unwrap();
        let source = "double twice(double x) { return 2 * x; }";
        let whole = compile(&compiler, &Cache::new(None, 0), source, true).unwrap();
        assert_eq!(check(&whole), Ok(()));
        for length in (0..whole.len()).rev().take(100).chain((0..whole.len()).step_by(101)) {
            assert!(check(&whole[..length]).is_err(), "{length} bytes of {}", whole.len());
        }
        assert!(check(&vec![0; whole.len()]).is_err());
    }
}
