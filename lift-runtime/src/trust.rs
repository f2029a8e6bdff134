//! Which files are believed.
//!
//! Built kernels are code, and a store decides which kernels are built: a file that another user could have put
//! there is not used. A path is believed if all folders and symbolic links on it belong to the user or to root,
//! and nobody else may write to them. Folders with the sticky bit, such as `/tmp`, may lie on the way: nobody
//! can replace other users' files there.
//!
//! Files that are made belong to the user alone. On systems without owners and modes everything is believed.

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Error, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tempfile::{NamedTempFile, TempDir};

/// What names of temporary files begin with, so that they can be told apart from others.
pub const TEMPORARY: &str = ".lift-";

/// Does the process have rights that its caller does not have: is the program set-uid or set-gid, or does its
/// file have capabilities? Then nothing that the caller chooses, above all its environment, may decide which
/// programs are run and where files lie.
pub fn elevated() -> bool {
    system::elevated()
}

/// Where a path leads when all symbolic links are followed. The last parts of it may not exist yet.
///
/// # Errors
/// Somebody else can make it lead elsewhere.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    system::resolve(&std::path::absolute(path)?)
}

/// A folder of this name, made if need be, that nobody else may write to.
pub fn folder(path: &Path) -> io::Result<PathBuf> {
    let path = resolve(path)?;
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(&path)?;
    // In `/tmp` somebody may have been faster.
    existing_folder(&path)
}

/// A folder that is there, and that nobody else may write to.
pub fn existing_folder(path: &Path) -> io::Result<PathBuf> {
    let path = resolve(path)?;
    let metadata = path.symlink_metadata()?;
    if !metadata.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    system::check(&path, &metadata, false)?;
    Ok(path)
}

/// Opens a regular file of no more bytes than this to read it.
///
/// # Errors
/// It is something else (a pipe would be waited for, a device may never end), or somebody else may write to it.
pub fn open(path: &Path, most: u64) -> io::Result<File> {
    let path = &resolve(path)?;
    // Devices do not even like to be opened.
    check_file(path, &path.symlink_metadata()?, most)?;
    let file = system::options().read(true).open(path)?;
    check_file(path, &file.metadata()?, most)?;
    Ok(file)
}

fn check_file(path: &Path, metadata: &Metadata, most: u64) -> io::Result<()> {
    if !metadata.is_file() {
        let what = format!("{} is no regular file", path.display());
        return Err(Error::new(ErrorKind::InvalidInput, what));
    }
    if metadata.len() > most {
        let what = format!("{} has {} bytes; {most} are allowed", path.display(), metadata.len());
        return Err(Error::new(ErrorKind::FileTooLarge, what));
    }
    system::check(path, metadata, false)
}

/// All that [`open`] opens. A file that grows meanwhile is cut off.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    contents(&open(path, most)?, most)
}

pub fn contents(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file to be locked, made if need be; what it holds stays.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let file = system::options().write(true).create(true).truncate(false).open(path)?;
    check_file(path, &file.metadata()?, u64::MAX)?;
    Ok(file)
}

/// A file beside others, to be renamed.
pub fn temporary_file(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)
}

/// A folder that is removed when it is dropped: in the system's place for them if that is believed,
/// else in `/tmp` or in a folder of the caller's.
pub fn temporary_folders(own: Option<PathBuf>) -> impl Iterator<Item = io::Result<TempDir>> {
    let usual = (!elevated()).then(std::env::temp_dir);
    let all = usual.into_iter().chain(cfg!(unix).then(|| "/tmp".into())).chain(own);
    all.map(|folder| {
        let folder = resolve(&folder)?;
        // Its owner might put another in its place.
        system::check(&folder, &folder.symlink_metadata()?, true)?;
        tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder)
    })
}

/// Says once for each path why it is not used.
pub fn not_used(path: &Path, why: &impl Display) {
    static SAID: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    if crate::threads::lock(&SAID).get_or_insert_default().insert(path.to_path_buf()) {
        log::warn!("{} is not used: {why}", path.display());
    }
}

#[cfg(not(unix))]
mod system {
    use super::*;

    pub fn elevated() -> bool {
        false
    }

    pub fn resolve(path: &Path) -> io::Result<PathBuf> {
        path.canonicalize().or_else(|_| Ok(path.to_path_buf()))
    }

    pub fn check(_: &Path, _: &Metadata, _: bool) -> io::Result<()> {
        Ok(())
    }

    pub fn options() -> std::fs::OpenOptions {
        File::options()
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use rustix::fs::OFlags;
    use rustix::process::{getegid, geteuid, getgid, getuid};
    use std::ffi::OsString;
    use std::fs::OpenOptions;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    use std::path::Component;
    use std::sync::OnceLock;

    /// As many symbolic links as the system itself follows.
    const LINKS: usize = 40;

    pub fn elevated() -> bool {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        // SAFETY: it looks a number up that the system gave the process at its start.
        let secure = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        let secure = false;
        secure || getuid() != geteuid() || getgid() != getegid()
    }

    pub fn options() -> OpenOptions {
        let mut options = File::options();
        // A link is not followed, a pipe not waited for, a terminal not taken over.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits() as i32).mode(0o600);
        options
    }

    /// Step by step, as the system does it.
    pub fn resolve(path: &Path) -> io::Result<PathBuf> {
        let mut left = parts(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = left.pop() {
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&part);
            let metadata = match next.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Ok(left.into_iter().rev().fold(next, |path, part| path.join(part)));
                }
                other => other?,
            };
            if metadata.is_symlink() {
                check_owner(&next, &metadata)?;
                links += 1;
                if links > LINKS {
                    return Err(Error::other(format!("{} leads in a circle", next.display())));
                }
                let target = next.read_link()?;
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                left.extend(parts(&target));
            } else {
                if !left.is_empty() {
                    check(&next, &metadata, true)?;
                }
                at = next;
            }
        }
        Ok(at)
    }

    /// The parts of a path, the first one last.
    fn parts(path: &Path) -> Vec<OsString> {
        let part = |component| match component {
            Component::Normal(part) => Some(part.to_os_string()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        };
        path.components().rev().filter_map(part).collect()
    }

    fn check_owner(path: &Path, metadata: &Metadata) -> io::Result<()> {
        let (owner, user) = (metadata.uid(), geteuid().as_raw());
        if owner == user || owner == 0 || unmapped() == Some(owner) {
            return Ok(());
        }
        let what = format!("{} belongs to another user ({owner}, and this is {user})", path.display());
        Err(Error::new(ErrorKind::PermissionDenied, what))
    }

    /// May nobody but the user and root write to it? Of a folder on the way to something, nobody need be able
    /// to replace what is there.
    pub fn check(path: &Path, metadata: &Metadata, on_the_way: bool) -> io::Result<()> {
        check_owner(path, metadata)?;
        let mode = metadata.mode();
        // Linux distributions give each user a group of the same number.
        let by_group = mode & 0o020 != 0 && metadata.gid() != geteuid().as_raw();
        let sticky = on_the_way && metadata.is_dir() && mode & 0o1000 != 0;
        if (by_group || mode & 0o002 != 0) && !sticky {
            let what = format!("others may write to {} (`chmod go-w` ends that)", path.display());
            return Err(Error::new(ErrorKind::PermissionDenied, what));
        }
        Ok(())
    }

    /// Whom everybody seems to be who has no number here: in a user namespace, root outside of it is one
    /// of them. Files of other users can't be told apart from root's there.
    fn unmapped() -> Option<u32> {
        static UNMAPPED: OnceLock<Option<u32>> = OnceLock::new();
        *UNMAPPED.get_or_init(|| {
            let map = std::fs::read_to_string("/proc/self/uid_map").ok()?;
            let whole = map.split_whitespace().eq(["0", "0", "4294967295"]);
            let number = std::fs::read_to_string("/proc/sys/kernel/overflowuid").ok()?;
            number.trim().parse().ok().filter(|_| !whole)
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir, set_permissions, write};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    fn mode(path: &Path, mode: u32) {
        set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn modes(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o7777
    }

    fn refused<T>(result: io::Result<T>, why: &str) {
        let said = result.err().expect("it is refused").to_string();
        assert!(said.contains(why), "{said}");
    }

    #[test]
    fn folders_are_the_users_alone() {
        let root = tempfile::tempdir().unwrap();
        let made = folder(&root.path().join("a/b")).unwrap();
        assert_eq!([modes(&made), modes(made.parent().unwrap())], [0o700, 0o700]);
        for (wrong, right) in [(0o777, 0o755), (0o707, 0o705), (0o1777, 0o700)] {
            mode(&made, wrong);
            refused(folder(&made), "others may write to");
            mode(&made, right);
            folder(&made).unwrap();
        }
        // What lies below a folder of all is nobody's, unless nobody can move it.
        mode(root.path(), 0o777);
        refused(folder(&made), "others may write to");
        mode(root.path(), 0o1777);
        folder(&made).unwrap();
        write(made.join("file"), "text").unwrap();
        refused(folder(&made.join("file")), "");
        refused(folder(&made.join("file/deeper")), "");
    }

    #[test]
    fn files_are_regular_small_and_the_users() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        write(&path, "text").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"text");
        refused(read(&path, 3), "3 are allowed");
        mode(&path, 0o666);
        refused(read(&path, 4), "others may write to");
        refused(read(root.path(), 4), "no regular file");
        refused(read(Path::new("/dev/zero"), 4), "no regular file");
        let pipe = root.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        refused(read(&pipe, 4), "no regular file");
        refused(lock_file(&pipe), "");
        assert!(read(&root.path().join("nothing"), 4).is_err_and(|e| e.kind() == ErrorKind::NotFound));
    }

    #[test]
    fn links_are_followed_where_nobody_else_made_them() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        create_dir(path("real")).unwrap();
        symlink("real/../real", path("relative")).unwrap();
        symlink(path("relative"), path("absolute")).unwrap();
        symlink("circle", path("circle")).unwrap();
        let real = path("real").canonicalize().unwrap();
        for name in ["real", "relative", "absolute", "absolute/../real"] {
            assert_eq!(resolve(&path(name).join("new/x")).unwrap(), real.join("new/x"), "{name}");
        }
        refused(resolve(&path("circle")), "in a circle");
        // A lock is never what a link leads to, and what there is stays.
        write(path("precious"), "text").unwrap();
        symlink("precious", path("lock")).unwrap();
        refused(lock_file(&path("lock")), "");
        lock_file(&path("precious")).unwrap();
        assert_eq!(read(&path("precious"), 4).unwrap(), b"text");
    }

    /// Only root can give files away.
    #[test]
    fn what_belongs_to_others_is_not_believed() {
        let root = tempfile::tempdir().unwrap();
        let theirs = root.path().join("theirs");
        create_dir(&theirs).unwrap();
        write(theirs.join("file"), "text").unwrap();
        if chown(&theirs, Some(12345), None).is_err() {
            return;
        }
        refused(read(&theirs.join("file"), 4), "belongs to another user");
        refused(folder(&theirs), "belongs to another user");
        refused(folder(&theirs.join("new")), "belongs to another user");
    }
}
