//! Shared libraries: built, kept and loaded.

use super::compiler::Compiler;
use crate::Error;
use crate::cache::{self, Cache};
use std::ffi::{c_long, c_void};
use std::path::Path;

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
}

/// The kernels of a C source text, from the cache or built now.
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
    if let (Some(path), Some(_)) = (cache.path(&file), cache.read(&file)) {
        // SAFETY: the checksum says that this is the library that was built from this source.
        match unsafe { load(&path, names) } {
            Ok(library) => return Ok(library),
            Err(error) => cache.remove(&file, &error.to_string()),
        }
    }
    let failed = |log| Error::Build { device: "cpu".into(), log, text: source.to_string() };
    let folder = tempfile::tempdir().map_err(|e| io("a temporary folder can't be made", e))?;
    let (text, built) = (folder.path().join("kernels.c"), folder.path().join("kernels.so"));
    std::fs::write(&text, source).map_err(|e| io("the kernels' source can't be written", e))?;
    compiler.run(&text, &built, strict).map_err(failed)?;
    let content = std::fs::read(&built).map_err(|e| io("the built kernels can't be read", e))?;
    cache.write(&file, &content);
    // SAFETY: this is the library that was just built from the source.
    unsafe { load(&built, names) }.map_err(|error| failed(error.to_string()))
}

fn io(doing: &str, error: std::io::Error) -> Error {
    Error::Io { doing: doing.to_string(), error }
}

/// # Safety
/// The file must be a sound library in which each name is a function of type [`Kernel`].
unsafe fn load(path: &Path, names: &[String]) -> Result<Library, libloading::Error> {
    // SAFETY: the library is sound, and compiled C without constructors: loading it runs nothing.
    let library = unsafe { libloading::Library::new(path) }?;
    let mut kernels = vec![];
    for name in names {
        // SAFETY: the caller says so. The pointer stays good as long as the library beside it.
        kernels.push(*unsafe { library.get::<Kernel>(name.as_bytes()) }?);
    }
    Ok(Library { kernels, _library: library })
}
