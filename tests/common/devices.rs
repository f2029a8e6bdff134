//! The devices to test on.

use lift_runtime::{Device, Kind, Settings};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Every device, the built-in one first; of OpenCL at least one where `CI` is set. What they build is
/// kept in the build folder, not in the user's cache.
pub fn all() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let cache = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels"));
        let mut devices = Device::all_with(&Settings { cache, ..Settings::default() });
        // The checking simulator has tests of its own, and is slow.
        devices.retain(|d| !is_simulator(d));
        if devices.iter().all(|d| d.kind() == Kind::BuiltIn) {
            skip("no OpenCL device", "apt install pocl-opencl-icd");
        }
        devices
    })
}

/// All of them under `scripts/hunt`; one of them in the everyday tests, another one each time: two tries show as much as one
/// on two devices.
pub fn in_turn(tried: usize) -> impl Iterator<Item = &'static Device> {
    let all = all();
    let chosen = move |k: &usize| super::hunt::deadline(1).is_some() || *k == tried % all.len();
    (0..all.len()).filter(chosen).map(|k| &all[k])
}

pub fn is_simulator(device: &Device) -> bool {
    device.to_string().to_lowercase().contains("oclgrind")
}

/// Something is missing: a failure where `CI` is set, elsewhere said loudly.
pub fn skip(missing: &str, install: &str) {
    assert!(std::env::var_os("CI").is_none(), "{missing} ({install}), and in CI nothing is skipped");
    // Not captured by the test harness, unlike `eprintln!`.
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "\n*** {missing}: tests that need it are SKIPPED ({install}) ***\n");
}
