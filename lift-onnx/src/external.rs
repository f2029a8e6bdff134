//! Arrays that lie in files of their own, beside the model.

use crate::error::OnnxError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// Where files with arrays may lie.
pub(crate) struct Folder(Option<PathBuf>);

/// Where an array lies, in the words of the model.
#[derive(Default)]
pub(crate) struct Location<'a> {
    /// The path of the file, relative to the model's folder.
    pub path: &'a str,
    /// Where the array begins in it; nothing is the beginning.
    pub offset: Option<&'a str>,
    /// Its length in bytes; nothing is what the shape says.
    pub length: Option<&'a str>,
}

impl Folder {
    /// Files in this folder or below.
    pub(crate) fn at(path: &Path) -> Folder {
        Folder(Some(path.to_path_buf()))
    }

    /// No files.
    pub(crate) fn none() -> Folder {
        Folder(None)
    }

    /// What is made of the bytes of an array, which must be `expected`.
    pub(crate) fn read<T>(
        &self,
        tensor: &str,
        location: &Location<'_>,
        expected: usize,
        make: impl FnOnce(&mut dyn Read) -> Result<T, String>,
    ) -> Result<T, OnnxError> {
        self.open(location, expected).and_then(|mut bytes| make(&mut bytes)).map_err(|reason| {
            OnnxError::External { tensor: tensor.to_string(), location: location.path.to_string(), reason }
        })
    }

    /// The file from where the array begins in it to where it ends.
    fn open(&self, location: &Location<'_>, expected: usize) -> Result<impl Read + use<>, String> {
        let path = self.resolve(location.path)?;
        let number = |text: Option<&str>, what: &str| match text {
            None => Ok(None),
            Some(text) => match text.parse::<u64>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("its {what} `{text}` is no number")),
            },
        };
        let offset = number(location.offset, "offset")?.unwrap_or(0);
        let length = number(location.length, "length")?.unwrap_or(expected as u64);
        if length != expected as u64 {
            return Err(format!("the array takes {expected} bytes, but {length} are said to be its length"));
        }
        let system = |e: std::io::Error| e.to_string();
        // Asked before it is opened, which waits for ever for some that are none.
        let metadata = std::fs::metadata(&path).map_err(system)?;
        if !metadata.is_file() {
            return Err("it is no ordinary file".to_string());
        }
        if offset.checked_add(length).is_none_or(|end| end > metadata.len()) {
            return Err(format!(
                "the array takes {length} bytes from byte {offset} on, but the file has only {}",
                metadata.len()
            ));
        }
        let mut file = File::open(path).map_err(system)?;
        file.seek(SeekFrom::Start(offset)).map_err(system)?;
        Ok(file.take(length))
    }

    /// The file, if it lies in the folder: neither its path nor a link may lead out of it.
    fn resolve(&self, path: &str) -> Result<PathBuf, String> {
        let Some(folder) = &self.0 else {
            return Err("the model was read from bytes, without a folder; read it from its file".to_string());
        };
        let relative = Path::new(path);
        if path.is_empty()
            || !relative.components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
        {
            return Err("only files in the model's folder or below may be used".to_string());
        }
        let system = |e: std::io::Error| e.to_string();
        let folder = folder.canonicalize().map_err(system)?;
        let file = folder.join(relative).canonicalize().map_err(system)?;
        if !file.starts_with(&folder) {
            return Err("a link leads out of the model's folder".to_string());
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::{Folder, Location};
    use std::io::Read;
    use std::path::Path;

    fn read(folder: &Path, path: &str, offset: &str, expected: usize) -> Result<Vec<u8>, String> {
        let location = Location { path, offset: Some(offset), length: None };
        bytes(&Folder::at(folder), &location, expected)
    }

    fn bytes(folder: &Folder, location: &Location<'_>, expected: usize) -> Result<Vec<u8>, String> {
        let all = |file: &mut dyn Read| {
            let mut bytes = vec![];
            file.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
            Ok(bytes)
        };
        folder.read("w", location, expected, all).map_err(|e| e.to_string())
    }

    #[test]
    fn only_what_lies_in_the_folder_is_read() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("model");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("w.bin"), [1, 2, 3, 4]).unwrap();
        std::fs::write(parent.path().join("secret.bin"), [5; 4]).unwrap();
        assert_eq!(read(&folder, "w.bin", "1", 2), Ok(vec![2, 3]));
        assert_eq!(read(&folder, "./w.bin", "0", 4), Ok(vec![1, 2, 3, 4]));
        let outside = "only files in the model's folder";
        assert!(read(&folder, "../secret.bin", "0", 4).unwrap_err().contains(outside));
        let absolute = parent.path().join("secret.bin");
        assert!(read(&folder, absolute.to_str().unwrap(), "0", 4).unwrap_err().contains(outside));
        assert!(read(&folder, "", "0", 4).unwrap_err().contains(outside));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(absolute, folder.join("link.bin")).unwrap();
            assert!(read(&folder, "link.bin", "0", 4).unwrap_err().contains("a link leads out"));
        }
        assert!(read(&folder, "none.bin", "0", 4).is_err());
        assert!(read(&folder, ".", "0", 4).unwrap_err().contains("no ordinary file"));
    }

    #[test]
    fn places_are_compared_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("w.bin"), [1, 2, 3, 4]).unwrap();
        assert!(read(folder.path(), "w.bin", "3", 2).unwrap_err().contains("the file has only 4"));
        assert!(read(folder.path(), "w.bin", "18446744073709551615", 2).unwrap_err().contains("has only 4"));
        assert!(read(folder.path(), "w.bin", "-1", 2).unwrap_err().contains("is no number"));
        assert!(read(folder.path(), "w.bin", "0", usize::MAX / 16).unwrap_err().contains("has only 4"));
        let location = Location { path: "w.bin", offset: None, length: Some("3") };
        let error = bytes(&Folder::at(folder.path()), &location, 4).unwrap_err();
        assert!(error.contains("takes 4 bytes, but 3"), "{error}");
        let error = bytes(&Folder::none(), &location, 4).unwrap_err();
        assert!(error.contains("read it from its file"), "{error}");
    }
}
