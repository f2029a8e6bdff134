//! Where OpenCL's library is looked for. On a workstation it is a loader, which finds drivers by files that name them. Images
//! of boards often have no loader, and Android has none: there the driver's own library has OpenCL's functions.
//!
//! The places are those that other runtimes for such devices try.

use crate::trust;
use libloading::{Library as Opened, Symbol};
use serde::Serialize;
use std::ffi::{OsStr, c_void};
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

/// A place where OpenCL's library may be, and what is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Library {
    /// Its path, or a name that the system looks for.
    pub path: String,
    /// What is there.
    pub state: State,
}

/// What is where OpenCL's library may be.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// Nothing of this name.
    Nothing,
    /// What the system can't open, and why.
    Unusable(String),
    /// A library without OpenCL's functions.
    NotOpenCl,
    /// OpenCL's functions, which list so many platforms.
    Platforms(usize),
}

impl Display for Library {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Library { path, state } = self;
        match state {
            State::Nothing => write!(f, "{path}: is not there"),
            State::Unusable(why) => write!(f, "{path}: can't be used: {why}"),
            State::NotOpenCl => write!(f, "{path}: does not have OpenCL's functions"),
            State::Platforms(1) => write!(f, "{path}: lists one platform"),
            State::Platforms(count) => write!(f, "{path}: lists {count} platforms"),
        }
    }
}

impl Library {
    /// Is it, by its name, a loader, which lists what other files name? On Android it is a driver.
    pub(super) fn is_loader(&self) -> bool {
        self.path.contains("OpenCL") && SYSTEM != System::Android
    }
}

/// Names the library; then it is looked for nowhere else.
const ONLY: &str = "LIFT_OPENCL";

/// Names libraries that come before all others, with `;` between them. The crate that calls OpenCL obeys it, too.
const FIRST: &str = "OPENCL_DYLIB_PATH";

/// What the crate that calls OpenCL opens where [`FIRST`] is not set.
const USUAL: &str = if cfg!(target_os = "windows") {
    "OpenCL.dll"
} else if cfg!(target_os = "macos") {
    "/System/Library/Frameworks/OpenCL.framework/OpenCL"
} else {
    "libOpenCL.so.1"
};

/// Of Linux. The first four are names that the system looks for in the folders of its linker.
const LINUX: [&str; 11] = [
    "libOpenCL.so.1",
    "libOpenCL.so",
    "libmali.so.1",
    "libmali.so",
    "/usr/lib/libOpenCL.so",
    "/usr/lib64/libOpenCL.so",
    "/usr/lib/aarch64-linux-gnu/libOpenCL.so",
    "/usr/lib/arm-linux-gnueabihf/libOpenCL.so",
    "/usr/local/lib/libOpenCL.so",
    "/usr/local/lib/libpocl.so",
    "/data/egl/libGLES_mali_v2.so",
];

/// Of Android: names that the system looks for, which an app must ask for in its manifest (`uses-native-library`).
const ANDROID: [&str; 5] =
    ["libOpenCL.so", "libGLES_mali.so", "libmali.so", "libOpenCL-pixel.so", "libOpenCL-car.so"];

/// The folders in which the same may lie, and [`POWER_VR`], for programs that are no apps; with 32 instead of 64 bits in `lib`.
const ANDROID_FOLDERS: [&str; 5] = [
    "/system/vendor/lib64",
    "/system/lib64",
    "/vendor/lib64",
    "/system/vendor/lib64/egl",
    "/vendor/lib64/egl",
];
const POWER_VR: &str = "libPVROCL.so";

/// Systems that differ in where they keep it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum System {
    Linux,
    Android,
    Other,
}

const SYSTEM: System = if cfg!(target_os = "android") {
    System::Android
} else if cfg!(target_os = "linux") {
    System::Linux
} else {
    System::Other
};

/// The places of a system, in the order in which they are tried.
fn places(system: System, bits: u32) -> Vec<String> {
    match system {
        System::Linux => LINUX.map(String::from).to_vec(),
        System::Android => {
            let folders = ANDROID_FOLDERS.map(|folder| match bits {
                64 => folder.to_string(),
                _ => folder.replace("lib64", "lib"),
            });
            let names = ANDROID.into_iter().chain([POWER_VR]);
            let there = |folder: String| names.clone().map(move |name| format!("{folder}/{name}"));
            ANDROID.into_iter().map(String::from).chain(folders.into_iter().flat_map(there)).collect()
        }
        System::Other => vec![USUAL.to_string()],
    }
}

/// Where to look, by the caller's variables and by the system.
fn all() -> Vec<String> {
    let value = |variable| std::env::var(variable).ok().filter(|value: &String| !value.is_empty());
    match value(ONLY) {
        Some(path) => vec![path],
        None => {
            let first = value(FIRST).unwrap_or_default();
            let first = first.split(';').filter(|path| !path.is_empty()).map(String::from);
            first.chain(places(SYSTEM, usize::BITS)).collect()
        }
    }
}

/// Where OpenCL's library was looked for, once in a process: the last one is the one that is used, if it lists platforms, else the first
/// that has OpenCL's functions. None if the caller's variables must not be obeyed. Opening a library runs code of it.
pub fn libraries() -> &'static [Library] {
    static TRIED: OnceLock<Vec<Library>> = OnceLock::new();
    TRIED.get_or_init(|| {
        if trust::elevated() {
            return vec![];
        }
        let tried = search(all().into_iter(), |path| PathBuf::from(path));
        tried.iter().for_each(|library| log::debug!("OpenCL's library: {library}"));
        if let Some(library) = used(&tried) {
            load(library);
        }
        tried
    })
}

/// The one that is used, of those that were tried.
pub fn used(tried: &[Library]) -> Option<&Library> {
    let lists = |library: &&Library| matches!(library.state, State::Platforms(count) if count > 0);
    let has_functions = |library: &&Library| matches!(library.state, State::Platforms(_));
    tried.iter().find(lists).or_else(|| tried.iter().find(has_functions))
}

/// Tries one after the other until one lists platforms. `at` says where a place is.
fn search(places: impl Iterator<Item = String>, at: impl Fn(&str) -> PathBuf) -> Vec<Library> {
    let mut tried: Vec<Library> = vec![];
    for path in places {
        if tried.iter().any(|other| other.path == path) {
            continue;
        }
        let state = look(&at(&path));
        let ends = matches!(state, State::Platforms(count) if count > 0);
        tried.push(Library { path, state });
        if ends {
            break;
        }
    }
    tried
}

/// What is at a path, or found by the system under a name.
pub fn look(path: &Path) -> State {
    // SAFETY: the caller's variables and the system's own folders say which code this process runs, as for every library that it links;
    // with rights that the caller does not have it does not get here.
    let library = match unsafe { Opened::new(path) } {
        Ok(library) => library,
        Err(error) => {
            let (why, name) = (in_full(&error), path.file_name().unwrap_or(path.as_os_str()));
            // A path, and not a name that the system looks for in its folders. Only after it can't be opened: macOS has libraries that
            // are in no file.
            let is_path = path.components().count() > 1;
            let is_there = if is_path { path.exists() } else { !is_missing(&why, name) };
            return if is_there { unusable(path, why) } else { State::Nothing };
        }
    };
    // SAFETY: this is the type of the function of this name.
    let list: Result<Symbol<'_, GetPlatforms>, _> = unsafe { library.get(b"clGetPlatformIDs\0") };
    let Ok(list) = list else { return State::NotOpenCl };
    let mut count = 0;
    // SAFETY: no identifiers are asked for, so none are written, and their number has a place.
    let code = unsafe { list(0, ptr::null_mut(), &raw mut count) };
    // What it has started, such as threads, is never unloaded.
    std::mem::forget(library);
    State::Platforms(if code == 0 { count as usize } else { 0 })
}

type GetPlatforms = unsafe extern "system" fn(u32, *mut *mut c_void, *mut u32) -> i32;

/// With what the system's linker says.
fn in_full(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

/// Does the linker say that there is no library of this name, and not that one is missing which it needs?
fn is_missing(why: &str, name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let of_this = why.contains(&format!("{name}:")) || why.contains(&format!("{name}\"")) || cfg!(windows);
    of_this && (why.contains("No such file") || why.contains("not found") || cfg!(windows))
}

/// What the linker says, without the path, or more where Linux's calls a library for another processor missing.
fn unusable(path: &Path, why: String) -> State {
    let why = why.strip_prefix(&format!("{}: ", path.display())).map_or(why.clone(), String::from);
    let of_other = || {
        let bytes = std::fs::read(path).ok()?;
        let architecture = object::Object::architecture(&object::File::parse(&*bytes).ok()?);
        let name = format!("{architecture:?}").to_lowercase();
        let own = if cfg!(target_arch = "x86") { "i386" } else { std::env::consts::ARCH };
        (name != own).then(|| format!("it is for {name}, and this program for {own}"))
    };
    State::Unusable(of_other().unwrap_or(why))
}

/// Has the crate that calls OpenCL open this library: it asks the environment, once in a process.
fn load(library: &Library) {
    let before = std::env::var_os(FIRST);
    let finds_it = match &before {
        Some(value) => value.as_os_str() == library.path.as_str(),
        None => library.path == USUAL,
    };
    if finds_it {
        let _opened = cl3::load_library();
        return;
    }
    // SAFETY: Rust's own functions take turns in reading and changing the environment. C's don't: another thread that is in C's `getenv`
    // at this moment could read what is being moved, as it could when a driver of OpenCL changes the environment (pocl does). So this
    // is done once in a process, and only where the library is not the usual one.
    unsafe { std::env::set_var(FIRST, &library.path) };
    let _opened = cl3::load_library();
    // SAFETY: as above.
    unsafe {
        match before {
            Some(value) => std::env::set_var(FIRST, value),
            None => std::env::remove_var(FIRST),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Library, State, System, look, places, search, used};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// A library of one function, which lists so many platforms.
    fn library(path: &Path, platforms: usize) {
        let text = format!(
            "int clGetPlatformIDs(unsigned n, void **all, unsigned *count) {{ *count = {platforms}; return 0; }}\n"
        );
        compiled(path, &text);
    }

    fn compiled(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let source = path.with_extension("c");
        std::fs::write(&source, text).unwrap();
        let done =
            Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(path).arg(&source).status().unwrap();
        assert!(done.success());
    }

    /// Where a place is under a folder: names that the system would look for lie in the folder itself.
    fn under(folder: &Path, place: &str) -> PathBuf {
        folder.join(place.trim_start_matches('/'))
    }

    #[test]
    fn a_library_is_found_in_every_place() {
        let fake = tempfile::tempdir().unwrap();
        let fake = fake.path().join("fake.so");
        library(&fake, 1);
        let systems =
            [(System::Linux, 64), (System::Android, 64), (System::Android, 32), (System::Other, 64)];
        for (system, bits) in systems {
            let all = places(system, bits);
            for place in &all {
                let folder = tempfile::tempdir().unwrap();
                let there = under(folder.path(), place);
                std::fs::create_dir_all(there.parent().unwrap()).unwrap();
                std::fs::copy(&fake, &there).unwrap();
                let tried = search(all.iter().cloned(), |path| under(folder.path(), path));
                assert_eq!(used(&tried).map(|library| &library.path), Some(place), "{tried:?}");
                let before = tried.iter().take_while(|library| library.path != *place);
                assert!(before.clone().all(|library| library.state == State::Nothing), "{tried:?}");
                assert_eq!(before.count() + 1, tried.len());
            }
        }
        assert_eq!(places(System::Android, 64).len(), 5 + 5 * 6);
        assert!(places(System::Android, 32).iter().all(|place| !place.contains("64")));
    }

    #[test]
    fn a_loader_without_platforms_is_used_where_nothing_else_lists_any() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| under(folder.path(), path);
        let names = ["libOpenCL.so.1", "libmali.so.1", "libmali.so"];
        library(&at("libOpenCL.so.1"), 0);
        let tried = search(names.map(String::from).into_iter(), at);
        assert_eq!(used(&tried).map(|library| &*library.path), Some("libOpenCL.so.1"));
        assert_eq!(tried.len(), 3);
        library(&at("libmali.so"), 2);
        let tried = search(names.map(String::from).into_iter(), at);
        assert_eq!(used(&tried).map(|library| &*library.path), Some("libmali.so"));
        let said: Vec<String> = tried.iter().map(Library::to_string).collect();
        let expected = [
            "libOpenCL.so.1: lists 0 platforms",
            "libmali.so.1: is not there",
            "libmali.so: lists 2 platforms",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_no_library_of_opencl_is_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        compiled(&at("other.so"), "int something(void) { return 0; }\n");
        assert_eq!(look(&at("other.so")), State::NotOpenCl);
        assert_eq!(look(&at("missing.so")), State::Nothing);
        assert_eq!(look(Path::new("liblift-is-nowhere.so")), State::Nothing);
        std::fs::write(
            at("text.so"),
            "no library, and long enough to be read as the head of one. ".repeat(4),
        )
        .unwrap();
        assert!(matches!(look(&at("text.so")), State::Unusable(why) if why.contains("invalid ELF header")));
        // A library for another processor: the same with another number in its head.
        library(&at("own.so"), 1);
        let mut bytes = std::fs::read(at("own.so")).unwrap();
        let (other, name) = if cfg!(target_arch = "aarch64") { (62u16, "x86_64") } else { (183, "aarch64") };
        bytes[18..20].copy_from_slice(&other.to_le_bytes());
        std::fs::write(at("foreign.so"), bytes).unwrap();
        let State::Unusable(why) = look(&at("foreign.so")) else { panic!("it is of another processor") };
        assert!(why.starts_with(&format!("it is for {name}, and this program for ")), "{why}");
    }

    #[test]
    fn a_library_that_lacks_another_is_not_missing_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        compiled(&at("libneeded.so"), "int needed(void) { return 0; }\n");
        std::fs::write(at("a.c"), "int needed(void); int clGetPlatformIDs(void) { return needed(); }\n")
            .unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-o"]).arg(at("a.so")).arg(at("a.c")).arg(at("libneeded.so"));
        assert!(cc.status().unwrap().success());
        std::fs::remove_file(at("libneeded.so")).unwrap();
        assert!(matches!(look(&at("a.so")), State::Unusable(why) if why.contains("libneeded.so")));
    }
}
