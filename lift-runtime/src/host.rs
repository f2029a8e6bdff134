//! The memory of this machine.

use crate::Error;

/// Below this, asking the system costs more than the answer is worth.
const SMALL: u128 = 64 << 20;

/// Is there memory for this many bytes more? A system that overcommits would say yes to the
/// allocation and end the process when it is written to.
pub fn reserve(what: &str, bytes: u128) -> Result<(), Error> {
    let full = |available| Error::OutOfMemory { what: what.to_string(), bytes, available };
    if bytes > isize::MAX as u128 {
        return Err(full(available()));
    }
    if bytes <= SMALL {
        return Ok(());
    }
    match available() {
        Some(available) if bytes > available => Err(full(Some(available))),
        _ => Ok(()),
    }
}

/// Bytes that can be had without swapping, if the system says; a container's limit counts.
pub fn available() -> Option<u128> {
    let system = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u128>().ok().map(|kib| kib * 1024)
    });
    let number = |path| std::fs::read_to_string(path).ok()?.trim().parse::<u128>().ok();
    let limit = number("/sys/fs/cgroup/memory.max").zip(number("/sys/fs/cgroup/memory.current"));
    let container = limit.map(|(most, used)| most.saturating_sub(used));
    [system, container].into_iter().flatten().min()
}
