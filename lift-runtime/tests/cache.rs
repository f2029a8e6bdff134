//! Kernels kept on disk: used again, never believed when damaged, never needed.

mod common;

use common::{devices_with, load, two_kernels};
use lift_runtime::{Device, Element, Kind, Settings};
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
    at > 100 && checksum(path, &bytes[..at]).as_bytes() == &bytes[at..]
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
    for path in files(folder.path()) {
        // Rubbish with a sound checksum, as another version might have left behind.
        let mut bytes = b"rubbish".to_vec();
        let sum = checksum(&path, &bytes);
        bytes.extend(sum.as_bytes());
        replace(&path, &bytes);
    }
    devices.iter().for_each(|device| run(device, 101));
    assert!(files(folder.path()).iter().all(|path| is_sound(path)));
}

#[test]
fn a_second_device_takes_what_the_first_one_kept() {
    let folder = tempfile::tempdir().unwrap();
    let settings = kept_in(folder.path());
    devices_with(&settings).iter().for_each(|device| run(device, 102));
    let written = |path: &PathBuf| std::fs::metadata(path).unwrap().modified().unwrap();
    let before: Vec<_> = files(folder.path()).iter().map(written).collect();
    devices_with(&settings).iter().for_each(|device| run(device, 102));
    let after: Vec<_> = files(folder.path()).iter().map(written).collect();
    assert_eq!(before, after);
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
