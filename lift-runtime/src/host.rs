//! The memory of this machine. Whatever has a size that a user, a file or another process decides is asked for here:
//! an allocation that fails elsewhere ends the process.

use crate::Error;
use bytemuck::Zeroable;
use std::path::Path;

/// Below this, asking the system costs more than the answer is worth.
const SMALL: u128 = 64 << 20;

/// Below this, memory is as likely to be there as for anything else.
const TINY: u128 = 1 << 20;

/// Is there memory for this many bytes more, in pieces that are allocated elsewhere?
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn reserve(what: &str, bytes: u128) -> Result<(), Error> {
    let size = promised(what, bytes)?;
    // The system may have a limit for this process, which it says nothing about.
    if bytes > TINY && Vec::<u8>::new().try_reserve_exact(size).is_err() {
        return Err(full(what, bytes, None));
    }
    Ok(())
}

/// Does the system promise this memory? One that overcommits would say yes to the allocation and end the
/// process when it is written to.
fn promised(what: &str, bytes: u128) -> Result<usize, Error> {
    let Some(size) = usize::try_from(bytes).ok().filter(|size| isize::try_from(*size).is_ok()) else {
        return Err(full(what, bytes, available()));
    };
    match if bytes > SMALL { available() } else { None } {
        Some(available) if bytes > available => Err(full(what, bytes, Some(available))),
        _ => Ok(size),
    }
}

/// Room for this many elements.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn room<T>(what: &str, length: usize) -> Result<Vec<T>, Error> {
    let bytes = length as u128 * size_of::<T>() as u128;
    promised(what, bytes)?;
    let mut elements = vec![];
    elements.try_reserve_exact(length).map_err(|_| full(what, bytes, None))?;
    Ok(elements)
}

/// This many zeros, which the system hands out page by page as they are written.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub fn zeros<T: Zeroable>(what: &str, length: usize) -> Result<Vec<T>, Error> {
    let bytes = length as u128 * size_of::<T>() as u128;
    promised(what, bytes)?;
    let mut zeros = bytemuck::try_zeroed_vec(length).map_err(|()| full(what, bytes, None))?;
    in_large_pages(&mut zeros);
    Ok(zeros)
}

/// Asks for large pages for memory that was not written to yet. Of 64 MiB the system hands out 16,384 small pages, each at
/// the first write to it, or 32 large ones: to hand out small ones may take longer than the kernel that writes them. A
/// system without large pages refuses, and nothing is lost.
#[cfg(target_os = "linux")]
fn in_large_pages<T>(memory: &mut [T]) {
    use rustix::mm::{Advice, madvise};
    const WORTH_IT: usize = 4 << 20;
    let bytes = size_of_val(memory);
    let page = rustix::param::page_size();
    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(page);
    let whole = bytes.saturating_sub(skipped) / page * page;
    if bytes < WORTH_IT || whole == 0 {
        return;
    }
    // SAFETY: whole pages inside memory that is borrowed here for writing; the advice changes none of its contents.
    let advised = unsafe { madvise(start.add(skipped).cast(), whole, Advice::LinuxHugepage) };
    if let Err(error) = advised {
        log::debug!("no large pages: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages<T>(_: &mut [T]) {}

fn full(what: &str, bytes: u128, available: Option<u128>) -> Error {
    Error::OutOfMemory { what: what.to_string(), bytes, available }
}

/// Bytes that can be had without swapping, if the system says; a container's limit counts.
pub fn available() -> Option<u128> {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u128>().ok().map(|kib| kib * 1024)
    });
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let containers = groups.lines().filter_map(|group| in_group(group, Path::new("/sys/fs/cgroup")));
    containers.chain(system).min()
}

/// The memory that a control group and the groups around it leave, if it counts memory: from a line of
/// `/proc/self/cgroup`, and where the groups are mounted.
fn in_group(line: &str, mounted: &Path) -> Option<u128> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, own) = (fields.next()?, fields.next()?);
    let version_1 = controllers.split(',').any(|controller| controller == "memory");
    let (root, most, used) = match controllers {
        "" => (mounted.to_path_buf(), "memory.max", "memory.current"),
        _ if version_1 => (mounted.join("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"),
        _ => return None,
    };
    let left = |group: &Path| {
        let text = |name| std::fs::read_to_string(root.join(group).join(name)).ok();
        let number = |name| text(name)?.trim().parse::<u128>().ok();
        // Files that are in memory make room where it is needed.
        let cached = |line: &str| {
            let (name, bytes) = line.split_once(' ')?;
            let is_file = ["active_file", "inactive_file"].contains(&name);
            if is_file { bytes.parse::<u128>().ok() } else { None }
        };
        let cached: u128 = text("memory.stat").unwrap_or_default().lines().filter_map(cached).sum();
        Some((number(most)? + cached).saturating_sub(number(used)?))
    };
    // Inside a container its own group may be mounted as the root of all.
    Path::new(own.trim_start_matches('/')).ancestors().filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused_in_words() {
        for length in [1 << 40, 1 << 58, usize::MAX / 4, usize::MAX] {
            for error in [room::<u64>("it", length).unwrap_err(), zeros::<u64>("it", length).unwrap_err()] {
                let Error::OutOfMemory { what, bytes, .. } = error else { panic!("{error}") };
                assert_eq!((what.as_str(), bytes), ("it", length as u128 * 8));
            }
        }
        assert!(room::<u64>("it", 0).unwrap().is_empty() && room::<()>("it", usize::MAX).is_ok());
        assert_eq!(zeros::<u32>("it", 3).unwrap(), [0; 3]);
    }

    #[test]
    fn a_containers_limit_counts_without_what_is_cached() {
        let mounted = tempfile::tempdir().unwrap();
        let group = |name: &str, files: [(&str, &str); 3]| {
            let folder = mounted.path().join(name);
            std::fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(file, text)| std::fs::write(folder.join(file), text).unwrap());
        };
        let cached = "anon 70\ninactive_file 20\nactive_file 10\n";
        group("a", [("memory.max", "100\n"), ("memory.current", "90\n"), ("memory.stat", cached)]);
        group("a/b", [("memory.max", "max\n"), ("memory.current", "90\n"), ("memory.stat", cached)]);
        let old = [("memory.limit_in_bytes", "50"), ("memory.usage_in_bytes", "60"), ("memory.stat", "")];
        group("memory/c", old);
        let of = |line| in_group(line, mounted.path());
        assert_eq!((of("0::/a/b"), of("0::/a")), (Some(40), Some(40)));
        assert_eq!((of("0::/"), of("0::/nowhere")), (None, None));
        assert_eq!((of("4:cpu,memory:/c"), of("5:cpu:/c"), of("")), (Some(0), None, None));
    }
}
