//! What there is of OpenCL on a machine, and what is missing: for people whose device is not found.

use super::loader::{self, Library, State};
use crate::threads::lock;
use crate::{NoDriver, Settings};
use serde::Serialize;
use std::fmt::{self, Display, Formatter};
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What was looked for, what was found and, in words, what is missing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Drivers {
    /// Where OpenCL's library was looked for, in this order. What comes after the first that lists platforms was not looked at.
    pub libraries: Vec<Library>,
    /// The file or the folder in which the loader finds which drivers there are.
    pub vendors: PathBuf,
    /// The files there, and what they name.
    pub files: Vec<IcdFile>,
    /// The platforms that are listed.
    pub platforms: Vec<Platform>,
    /// What is missing, if no device is found.
    pub missing: Option<String>,
}

/// A file by which a loader finds a driver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IcdFile {
    /// Where it is.
    pub path: PathBuf,
    /// The driver's library that it names, and what is there; without a path, why the file can't be read.
    pub library: Library,
}

/// A driver as it calls itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Platform {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The names of its devices.
    pub devices: Vec<String>,
}

/// Where loaders find drivers if no variable says so.
const VENDORS: &str = "/etc/OpenCL/vendors";

/// The variables that say so.
const VARIABLES: [&str; 2] = ["OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"];

/// Drivers that a file could name, and what that file may be called.
const DRIVERS: [(&str, &str); 10] = [
    ("libnvidia-opencl.so.1", "nvidia"),
    ("libmali.so.1", "mali"),
    ("libmali.so", "mali"),
    ("libRusticlOpenCL.so.1", "rusticl"),
    ("libMesaOpenCL.so.1", "mesa"),
    ("libpocl.so.2", "pocl"),
    ("libPVROCL.so.1", "powervr"),
    ("libigdrcl.so", "intel"),
    ("libamdocl64.so", "amdocl64"),
    ("/opt/rocm/lib/libamdocl64.so", "amdocl64"),
];

/// The files that drivers open to use a GPU: of Mali, Adreno, NVIDIA's and what Mesa has drivers for.
const NODES: [&str; 4] = ["/dev/mali0", "/dev/kgsl-3d0", "/dev/nvidiactl", "/dev/dri/renderD128"];

/// What there is of OpenCL on this machine. It loads the drivers that it finds.
pub fn find() -> Drivers {
    let devices = super::devices(&Settings::default());
    let vendors =
        VARIABLES.iter().find_map(|name| super::variable(name)).map_or(PathBuf::from(VENDORS), PathBuf::from);
    let platforms = super::platforms().unwrap_or_default();
    let _finding = lock(&super::FINDING);
    let (libraries, files) = match devices {
        Err(NoDriver::Elevated | NoDriver::Threads) => (vec![], vec![]),
        Ok(_) | Err(NoDriver::Loader | NoDriver::Driver | NoDriver::Device) => {
            (loader::libraries().to_vec(), files(&vendors))
        }
    };
    let mut found = Drivers { libraries, vendors, files, platforms, missing: None };
    found.missing = match devices {
        Ok(_) => None,
        Err(reason @ (NoDriver::Elevated | NoDriver::Threads)) => Some(reason.to_string()),
        Err(reason) => Some(found.missing_for(reason, &|path| loader::look(Path::new(path)), &forbidden())),
    };
    found
}

/// The files by which a loader finds drivers: of a folder those that end in `.icd`.
fn files(vendors: &Path) -> Vec<IcdFile> {
    let mut all: Vec<PathBuf> = match fs::read_dir(vendors) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) if vendors.is_file() => vec![vendors.to_path_buf()],
        Err(_) => vec![],
    };
    all.retain(|path| path == vendors || path.extension().is_some_and(|extension| extension == "icd"));
    all.sort();
    let file = |path: PathBuf| {
        let library = match fs::read_to_string(&path) {
            Ok(text) => {
                let path = text.lines().next().unwrap_or_default().trim().to_string();
                Library { state: loader::look(Path::new(&path)), path }
            }
            Err(error) => Library { path: String::new(), state: State::Unusable(error.to_string()) },
        };
        IcdFile { path, library }
    };
    all.into_iter().map(file).collect()
}

/// Files of devices that are there, and that this user may not open.
fn forbidden() -> Vec<&'static str> {
    let is_forbidden = |node: &&str| {
        let opened = OpenOptions::new().read(true).write(true).open(node);
        opened.is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
    };
    NODES.into_iter().filter(is_forbidden).collect()
}

impl Drivers {
    /// What is missing. `look` says what is at a path, `forbidden` are the files of devices that this user may not open.
    fn missing_for(&self, reason: NoDriver, look: &dyn Fn(&str) -> State, forbidden: &[&str]) -> String {
        let Some(used) = loader::used(&self.libraries) else {
            let unusable = self.libraries.iter().find(|library| matches!(library.state, State::Unusable(_)));
            return unusable.map_or(reason.to_string(), Library::to_string);
        };
        if let Some(IcdFile { path, library }) = self.files.iter().find(|file| !usable(&file.library)) {
            return format!("{} names a driver that can't be used: {library}", path.display());
        }
        if self.platforms.is_empty() && self.files.is_empty() && used.is_loader() {
            let is_there = |(library, _): &&(&str, &str)| {
                matches!(look(library), State::Platforms(_) | State::NotOpenCl)
            };
            return match DRIVERS.iter().find(is_there) {
                Some((library, name)) => format!(
                    "the driver {library} is there, and no file names it: write its path into {}/{name}.icd",
                    self.vendors.display()
                ),
                None => reason.to_string(),
            };
        }
        // There is a driver.
        if let Some(node) = forbidden.first() {
            return format!(
                "this user may not open {node}: add the user to the group that the file belongs to, often `render` or `video`"
            );
        }
        match self.platforms.first() {
            Some(platform) if platform.name.to_lowercase().contains("rusticl") && super::variable("RUSTICL_ENABLE").is_none() => {
                "rusticl lists no device until the variable RUSTICL_ENABLE names its driver: `RUSTICL_ENABLE=panfrost` for a Mali"
                    .into()
            }
            Some(platform) => format!("the driver {} is there and finds no device", platform.name),
            None => "there is a driver, and it lists no platform".into(),
        }
    }
}

impl Drivers {
    fn say_missing(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.missing.iter().try_for_each(|missing| writeln!(f, "No device of OpenCL: {missing}."))
    }
}

fn usable(library: &Library) -> bool {
    // Drivers may have OpenCL's functions under other names.
    matches!(library.state, State::Platforms(_) | State::NotOpenCl)
}

impl Display for Drivers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.libraries.is_empty() {
            return self.say_missing(f);
        }
        writeln!(f, "OpenCL's library was looked for, in this order:")?;
        self.libraries.iter().try_for_each(|library| writeln!(f, "  {library}"))?;
        if let Some(library) = loader::used(&self.libraries) {
            writeln!(f, "{} is used.", library.path)?;
        }
        match self.files.is_empty() {
            true => writeln!(f, "No file in {} names a driver.", self.vendors.display())?,
            false => writeln!(f, "Drivers are named by:")?,
        }
        for IcdFile { path, library } in &self.files {
            match usable(library) {
                true => writeln!(f, "  {}: {}", path.display(), library.path)?,
                false => writeln!(f, "  {}: {library}", path.display())?,
            }
        }
        for Platform { name, version, devices } in &self.platforms {
            writeln!(f, "The platform {name} ({version}) lists: {}", listed(devices))?;
        }
        self.say_missing(f)
    }
}

fn listed(devices: &[String]) -> String {
    if devices.is_empty() { "no device".into() } else { devices.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::{Drivers, IcdFile, Library, Platform, State};
    use crate::NoDriver;
    use std::path::PathBuf;

    fn library(path: &str, state: State) -> Library {
        Library { path: path.into(), state }
    }

    fn drivers(libraries: Vec<Library>) -> Drivers {
        let vendors = PathBuf::from("/etc/OpenCL/vendors");
        Drivers { libraries, vendors, files: vec![], platforms: vec![], missing: None }
    }

    fn nothing(_: &str) -> State {
        State::Nothing
    }

    #[test]
    fn a_machine_without_anything() {
        let bare = drivers(vec![library("libOpenCL.so.1", State::Nothing)]);
        let said = bare.missing_for(NoDriver::Loader, &nothing, &[]);
        assert!(said.contains("apt install pocl-opencl-icd"), "{said}");
    }

    #[test]
    fn a_library_for_another_processor() {
        let why = "it is for aarch64, and this program for x86_64";
        let other = drivers(vec![library("libmali.so", State::Unusable(why.into()))]);
        let said = other.missing_for(NoDriver::Loader, &nothing, &[]);
        assert_eq!(said, format!("libmali.so: can't be used: {why}"));
    }

    #[test]
    fn a_driver_that_no_file_names() {
        let loader = drivers(vec![library("libOpenCL.so.1", State::Platforms(0))]);
        let mali = |path: &str| if path == "libmali.so" { State::Platforms(1) } else { State::Nothing };
        let said = loader.missing_for(NoDriver::Driver, &mali, &[]);
        let expected = "the driver libmali.so is there, and no file names it: write its path into /etc/OpenCL/vendors/mali.icd";
        assert_eq!(said, expected);
        let said = loader.missing_for(NoDriver::Driver, &nothing, &[]);
        assert!(said.contains("no driver for it"), "{said}");
    }

    #[test]
    fn a_file_that_names_no_driver() {
        let mut wrong = drivers(vec![library("libOpenCL.so.1", State::Platforms(0))]);
        let file =
            IcdFile { path: "/etc/OpenCL/vendors/a.icd".into(), library: library("/a.so", State::Nothing) };
        wrong.files = vec![file];
        let said = wrong.missing_for(NoDriver::Driver, &nothing, &[]);
        assert_eq!(said, "/etc/OpenCL/vendors/a.icd names a driver that can't be used: /a.so: is not there");
    }

    #[test]
    fn a_device_that_may_not_be_opened() {
        let driver = drivers(vec![library("libmali.so", State::Platforms(0))]);
        let said = driver.missing_for(NoDriver::Driver, &nothing, &["/dev/mali0"]);
        assert!(said.starts_with("this user may not open /dev/mali0"), "{said}");
        // Without a driver that is not what is missing first.
        let loader = drivers(vec![library("libOpenCL.so.1", State::Platforms(0))]);
        let said = loader.missing_for(NoDriver::Driver, &nothing, &["/dev/mali0"]);
        assert!(said.contains("no driver for it"), "{said}");
        let said = driver.missing_for(NoDriver::Driver, &nothing, &[]);
        assert_eq!(said, "there is a driver, and it lists no platform");
    }

    #[test]
    fn a_driver_without_a_device() {
        let mut found = drivers(vec![library("libOpenCL.so.1", State::Platforms(1))]);
        let platform =
            |name: &str| Platform { name: name.into(), version: "OpenCL 3.0".into(), devices: vec![] };
        found.platforms = vec![platform("rusticl")];
        let said = found.missing_for(NoDriver::Device, &nothing, &[]);
        assert!(said.contains("RUSTICL_ENABLE=panfrost"), "{said}");
        found.platforms = vec![platform("Some")];
        let said = found.missing_for(NoDriver::Device, &nothing, &[]);
        assert_eq!(said, "the driver Some is there and finds no device");
        let printed = found.to_string();
        assert!(printed.contains("The platform Some (OpenCL 3.0) lists: no device"), "{printed}");
    }
}
