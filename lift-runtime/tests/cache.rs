//! Kernels kept on disk: used again, never believed when damaged, never needed.

mod common;

use common::{devices_with, filled, load, two_kernels};
use lift_runtime::{Device, Element, Error, Kind, Settings};
use ndarray::Array1;
use std::path::{Path, PathBuf};

fn run(device: &Device, length: usize) {
    let (plan, signature) = two_kernels(length);
    let compiled = load(device, &plan, &signature).unwrap();
    let a = Array1::from_shape_fn(length, |i| i as f32);
    let outputs = compiled.run(&[3.0f32.scalar(), f32::argument(a.view().into_dyn())]).unwrap();
    let result = outputs.into_iter().next().unwrap().into_array::<f32>().unwrap();
    assert_eq!(result, (&a * 4.0).into_dyn(), "{device}");
}

/// Binaries too, whatever the driver does by itself.
fn kept_in(folder: &Path) -> Settings {
    Settings { cache: Some(folder.to_path_buf()), binaries: Some(true), ..Settings::default() }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn checksum(path: &Path, content: &[u8]) -> blake3::Hash {
    let name = path.file_name().unwrap().to_str().unwrap();
    blake3::Hasher::new().update(name.as_bytes()).update(content).finalize()
}

fn is_sound(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap();
    let at = bytes.len() - blake3::OUT_LEN;
    // A note says one word.
    let is_note = path.extension() == Some("taken".as_ref());
    (is_note || at > 100) && checksum(path, &bytes[..at]).as_bytes() == &bytes[at..]
}

/// Another file of the same name: what is loaded already keeps its own.
fn replace(path: &Path, content: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, content).unwrap();
}

#[test]
fn damaged_files_are_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = kept_in(folder.path());
    let devices = devices_with(&settings);
    devices.iter().for_each(|device| run(device, 100));
    let kept = files(folder.path());
    assert_eq!(kept.len(), devices.len(), "one file for each device");
    let sound: Vec<Vec<u8>> = kept.iter().map(|path| std::fs::read(path).unwrap()).collect();

    type Damage = fn(&[u8]) -> Vec<u8>;
    let half: Damage = |bytes| bytes[..bytes.len() / 2].to_vec();
    let nothing: Damage = |_| vec![];
    let flipped: Damage = |bytes| bytes.iter().map(|b| !b).collect();
    let one_bit: Damage = |bytes| {
        let mut bytes = bytes.to_vec();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        bytes
    };
    for damage in [half, nothing, flipped, one_bit] {
        for (path, bytes) in kept.iter().zip(&sound) {
            replace(path, &damage(bytes));
        }
        devices.iter().for_each(|device| run(device, 100));
        assert_eq!(files(folder.path()), kept);
        assert!(kept.iter().all(|path| is_sound(path)), "whole again");
    }
}

#[test]
fn a_binary_that_the_driver_refuses_is_built_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = kept_in(folder.path());
    let devices = devices_with(&settings);
    devices.iter().for_each(|device| run(device, 101));
    // Rubbish, as another version might have left behind, or nothing.
    for content in ["rubbish", ""] {
        files(folder.path()).iter().for_each(|path| forge(path, content.as_bytes()));
        devices.iter().for_each(|device| run(device, 101));
        assert!(files(folder.path()).iter().all(|path| is_sound(path)));
    }
}

/// With a sound checksum.
fn forge(path: &Path, content: &[u8]) {
    replace(path, &[content, checksum(path, content).as_bytes()].concat());
}

#[test]
fn the_library_of_another_program_is_built_again() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    devices_with(&kept_in(other.path())).iter().for_each(|device| {
        let (plan, signature) = filled(8);
        load(device, &plan, &signature).unwrap();
    });
    let devices = devices_with(&kept_in(folder.path()));
    devices.iter().for_each(|device| run(device, 105));
    let kept = files(folder.path());
    for path in &kept {
        let same = |other: &&PathBuf| other.extension() == path.extension();
        let content = std::fs::read(files(other.path()).iter().find(same).unwrap()).unwrap();
        forge(path, &content[..content.len() - blake3::OUT_LEN]);
    }
    let forged: Vec<Vec<u8>> = kept.iter().map(|path| std::fs::read(path).unwrap()).collect();
    devices.iter().for_each(|device| run(device, 105));
    for (path, forged) in kept.iter().zip(forged) {
        assert!(is_sound(path) && std::fs::read(path).unwrap() != forged, "{}", path.display());
    }
}

/// Scripts that stand for compilers.
#[cfg(unix)]
fn script(folder: &Path, text: &str) -> Settings {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("script");
    std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let compiler = Some(path.to_str().unwrap().to_string());
    Settings { compiler, ..kept_in(&folder.join("cache")) }
}

/// A compiler that once writes half a library, and says that all is well.
#[cfg(unix)]
#[test]
fn a_library_that_is_not_whole_is_neither_loaded_nor_kept() {
    let folder = tempfile::tempdir().unwrap();
    let settings = script(
        folder.path(),
        "cc \"$@\" || exit 1
        case \"$*\" in *-shared*) ;; *) exit 0;; esac
        [ -e \"$0.done\" ] && exit 0
        touch \"$0.done\"
        while [ \"$1\" != -o ]; do shift; done
        head -c 6000 \"$2\" > \"$0.half\" && cp \"$0.half\" \"$2\"",
    );
    let (plan, signature) = two_kernels(106);
    match load(&Device::cpu_with(&settings), &plan, &signature) {
        Err(Error::Build { log, .. }) => assert!(log.contains("is not whole"), "{log}"),
        other => panic!("{:?}", other.err()),
    }
    assert!(!folder.path().join("cache").exists(), "nothing is kept");
    run(&Device::cpu_with(&settings), 106);
    assert_eq!(files(&folder.path().join("cache")).len(), 1);
}

/// What a library needs and nobody has is an error when it is loaded, not the end of the process when it is called.
#[test]
fn a_library_that_needs_what_is_not_there_is_refused() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let header = elsewhere.path().join("needs.h");
    let needs = "extern void nowhere_to_be_found(void);\nvoid (*needed)(void) = nowhere_to_be_found;\n";
    std::fs::write(&header, needs).unwrap();
    let compiler = Some(format!("cc -include {}", header.display()));
    let settings = Settings { compiler, ..kept_in(folder.path()) };
    let (plan, signature) = two_kernels(107);
    match load(&Device::cpu_with(&settings), &plan, &signature) {
        Err(Error::Build { log, .. }) => assert!(log.contains("nowhere_to_be_found"), "{log}"),
        other => panic!("{:?}", other.err()),
    }
    assert!(files(folder.path()).is_empty());
}

/// Code that runs is not read from a file that somebody else can cut off.
#[test]
fn a_library_in_use_does_not_need_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = kept_in(folder.path());
    run(&Device::cpu_with(&settings), 108);
    let device = Device::cpu_with(&settings);
    let (plan, signature) = two_kernels(108);
    let compiled = load(&device, &plan, &signature).unwrap();
    for path in files(folder.path()) {
        std::fs::File::options().write(true).open(path).unwrap().set_len(0).unwrap();
    }
    let a = Array1::<f32>::ones(108);
    let outputs = compiled.run(&[1.0f32.scalar(), f32::argument(a.view().into_dyn())]).unwrap();
    let result = outputs.into_iter().next().unwrap().into_array::<f32>().unwrap();
    assert_eq!(result, (&a * 2.0).into_dyn());
}

/// In a process of its own: the other tests load libraries, too.
#[cfg(target_os = "linux")]
#[test]
fn what_is_dropped_is_unloaded() {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", "in_child_dropped", "--ignored"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "run by what_is_dropped_is_unloaded"]
fn in_child_dropped() {
    let device = Device::cpu_with(&Settings { cache: None, ..Settings::default() });
    let libraries = || {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        maps.lines().filter(|line| line.contains("kernels.so")).count()
    };
    let library = |length| {
        let (plan, signature) = two_kernels(length);
        load(&device, &plan, &signature).unwrap()
    };
    let all: Vec<_> = (200..206).map(library).collect();
    assert!(libraries() >= 6);
    drop(all);
    assert_eq!(libraries(), 0);
}

/// With the cache where others may write, nothing of it is loaded and nothing is put there.
#[cfg(unix)]
#[test]
fn a_folder_of_others_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("lift");
    let settings = kept_in(&folder);
    let devices = devices_with(&settings);
    devices.iter().for_each(|device| run(device, 109));
    // Were one of these believed, it would be removed.
    let planted = files(&folder);
    planted.iter().for_each(|path| forge(path, b"planted"));
    for place in [parent.path(), &folder] {
        let mode = |mode| std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        devices_with(&settings).iter().for_each(|device| run(device, 109));
        devices_with(&settings).iter().for_each(|device| run(device, 110));
        mode(0o700);
        assert_eq!(files(&folder), planted);
        for path in &planted {
            assert!(std::fs::read(path).unwrap().starts_with(b"planted"), "{}", path.display());
        }
    }
}

#[test]
fn a_second_device_takes_what_the_first_one_kept() {
    let folder = tempfile::tempdir().unwrap();
    let settings = kept_in(folder.path());
    let written = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let runs = || {
        devices_with(&settings).iter().for_each(|device| run(device, 102));
        files(folder.path()).into_iter().map(|path| (written(&path), path)).collect::<Vec<_>>()
    };
    let (first, second, third) = (runs(), runs(), runs());
    assert!(first.iter().all(|file| second.contains(file)), "{first:?} {second:?}");
    // Of a binary it is noted that the driver has taken it back.
    let binaries = second.iter().filter(|(_, path)| path.extension() == Some("clbin".as_ref())).count();
    assert_eq!(second.len(), first.len() + binaries);
    assert_eq!(second, third);
}

#[test]
fn without_a_place_to_keep_kernels_they_run_all_the_same() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for cache in [None, Some(file.path().join("below a file"))] {
        let settings = Settings { cache, binaries: Some(true), ..Settings::default() };
        devices_with(&settings).iter().for_each(|device| run(device, 103));
    }
}

#[test]
fn binaries_are_kept_or_not_as_is_wished() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { binaries: Some(false), ..kept_in(folder.path()) };
    let devices = devices_with(&settings);
    devices.iter().for_each(|device| run(device, 104));
    let kept = files(folder.path());
    assert!(kept.iter().all(|path| path.extension() != Some("clbin".as_ref())), "{kept:?}");
    let built_in = devices.iter().filter(|device| device.kind() == Kind::BuiltIn).count();
    assert_eq!(kept.len(), built_in);
}
