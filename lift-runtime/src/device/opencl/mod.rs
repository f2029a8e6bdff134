//! OpenCL devices, through whatever drivers the loader finds at run time.

pub mod drivers;
mod errors;
mod kept;
mod launch;
mod loader;
mod memory;
mod pocl;
mod program;
mod row;
mod run;
mod session;

pub use loader::{Library, State};
pub use program::OPTIONS;

use super::driver::{Driver, Kind, Loaded};
use crate::cache::Cache;
use crate::there::Stored;
use crate::threads::lock;
use crate::{Error, NoDriver, Settings, threads, trust};
use lift_core::kernel::{Memory, Plan};
use lift_core::target::{Class, Description, Features, Limits, Target};
use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device};
use opencl3::platform::{Platform, get_platforms};
use session::Session;
use std::ffi::{OsStr, OsString};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

/// A device of an OpenCL driver.
pub struct OpenCl {
    device: Device,
    name: String,
    platform: String,
    platform_version: String,
    settings: Settings,
    cache: Cache,
    /// Made when first needed: with some drivers that takes long, and memory of the device.
    session: Mutex<Option<Arc<Session>>>,
}

/// The environment as it was before any driver was loaded. Some drivers change it (pocl has the loader find
/// pocl alone), and a process that is started then would find other devices.
pub fn environment() -> &'static [(OsString, OsString)] {
    static BEFORE: OnceLock<Vec<(OsString, OsString)>> = OnceLock::new();
    BEFORE.get_or_init(|| std::env::vars_os().collect())
}

/// A variable as it was before any driver was loaded, unless it is empty.
fn variable(wanted: &str) -> Option<&'static OsStr> {
    let (_, value) = environment().iter().find(|(name, _)| name == wanted)?;
    Some(value.as_os_str()).filter(|value| !value.is_empty())
}

/// The devices of every platform, in the loader's order.
pub fn devices(settings: &Settings) -> Result<Vec<OpenCl>, NoDriver> {
    let _finding = lock(&FINDING);
    let platforms = found()?;
    let all: Vec<OpenCl> = platforms.iter().flat_map(|platform| of_platform(platform, settings)).collect();
    if all.is_empty() { Err(NoDriver::Device) } else { Ok(all) }
}

/// pocl 3.1 crashes where two threads find its devices for the first time.
static FINDING: Mutex<()> = Mutex::new(());

/// The platforms, at least one.
fn found() -> Result<Vec<Platform>, NoDriver> {
    if trust::elevated() {
        return Err(NoDriver::Elevated);
    }
    environment();
    // pocl ends the process where it can't start one for each core.
    if !threads::have_room() {
        return Err(NoDriver::Threads);
    }
    if loader::used(loader::libraries()).is_none() {
        return Err(NoDriver::Loader);
    }
    let platforms = get_platforms().map_err(|error| errors::missing(error.0))?;
    if platforms.is_empty() { Err(NoDriver::Driver) } else { Ok(platforms) }
}

/// The platforms, as they call themselves.
fn platforms() -> Result<Vec<drivers::Platform>, NoDriver> {
    let _finding = lock(&FINDING);
    let named = |platform: &Platform| drivers::Platform {
        name: platform.name().unwrap_or_default(),
        version: platform.version().unwrap_or_default(),
        devices: of_platform(platform, &Settings::default()).into_iter().map(|device| device.name).collect(),
    };
    Ok(found()?.iter().map(named).collect())
}

fn of_platform(platform: &Platform, settings: &Settings) -> Vec<OpenCl> {
    let (name, version) = (platform.name().unwrap_or_default(), platform.version().unwrap_or_default());
    let ids = platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_else(|error| {
        log::debug!("the OpenCL platform {name} has no devices: {error}");
        vec![]
    });
    let device = |id| {
        let device = Device::new(id);
        let device_name = device.name().unwrap_or_default().trim().to_string();
        OpenCl {
            device,
            name: if device_name.is_empty() { name.clone() } else { device_name },
            platform: name.clone(),
            platform_version: version.clone(),
            settings: settings.clone(),
            cache: Cache::new(settings.cache.clone(), settings.cache_limit),
            session: Mutex::new(None),
        }
    };
    ids.into_iter().map(device).collect()
}

impl OpenCl {
    fn session(&self) -> Result<Arc<Session>, Error> {
        let mut session = lock(&self.session);
        if let Some(session) = &*session {
            return Ok(session.clone());
        }
        let new = Arc::new(Session::new(&self.device, &Target::of(&self.description()))?);
        *session = Some(new.clone());
        Ok(new)
    }

    /// See [`Settings::binaries`].
    fn keeps_binaries(&self) -> bool {
        let wanted = self.settings.binaries.unwrap_or(self.platform != pocl::PLATFORM);
        wanted && self.settings.cache.is_some()
    }

    /// For limits that a device does not tell, the default ones are assumed.
    fn limits(&self) -> Limits {
        let default = Limits::default();
        let most = |value: Option<u64>| value.and_then(|n| i64::try_from(n).ok());
        let sides = self.device.max_work_item_sizes().unwrap_or_default();
        let side = |d: usize| most(sides.get(d).map(|n| *n as u64)).unwrap_or(default.sides[d]);
        Limits {
            sides: [0, 1, 2].map(side),
            // More than any GPU has are of no use: see there.
            group: most(self.device.max_work_group_size().ok().map(|n| n as u64))
                .map_or(default.group, |n| n.min(default.group)),
            local: most(self.device.local_mem_size().ok()).unwrap_or(default.local),
            buffer: most(self.device.max_mem_alloc_size().ok()).unwrap_or(default.buffer),
            ..default
        }
    }

    fn features(&self) -> Features {
        let extensions = self.device.extensions().unwrap_or_default();
        let has = |name| extensions.split_whitespace().any(|e| e == name);
        // From OpenCL 1.2 on `f64` need not be an extension.
        Features {
            f16: has("cl_khr_fp16"),
            f64: has("cl_khr_fp64") || self.device.double_fp_config() != Ok(0),
            wide_vectors: true,
            vector_sums: false,
        }
    }

    /// Refuses what the device lacks before its compiler does, in words.
    fn supports(&self, source: &str) -> Result<(), Error> {
        let Features { f16, f64, .. } = self.features();
        let lacks = |what: &str| Err(Error::Unsupported { device: self.describe(), what: what.to_string() });
        // The printer names the extensions that its text needs.
        if source.contains("cl_khr_fp64") && !f64 {
            return lacks("it uses f64, and the device has no 64-bit floats");
        }
        if source.contains("cl_khr_fp16") && !f16 {
            return lacks("it uses f16, and the device has no 16-bit floats");
        }
        if self.device.compiler_available() == Ok(false) {
            return lacks("its driver has no compiler");
        }
        Ok(())
    }
}

impl Driver for OpenCl {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn describe(&self) -> String {
        format!("{} ({})", self.name, self.platform)
    }

    fn kind(&self) -> Kind {
        match self.device.dev_type() {
            Ok(kind) if kind & CL_DEVICE_TYPE_GPU != 0 => Kind::Gpu,
            Ok(kind) if kind & CL_DEVICE_TYPE_CPU != 0 => Kind::Cpu,
            _ => Kind::Accelerator,
        }
    }

    fn version(&self) -> String {
        let driver = self.device.driver_version().unwrap_or_default();
        format!("{} {}", self.platform_version.trim(), driver.trim())
    }

    fn description(&self) -> Description {
        let class = match self.kind() {
            Kind::Gpu => Class::Gpu,
            Kind::BuiltIn | Kind::Cpu | Kind::Accelerator => Class::Processor,
        };
        Description {
            class,
            names: vec![self.name(), self.device.vendor().unwrap_or_default(), self.platform.clone()],
            units: self.device.max_compute_units().map_or(1, |n| n as usize),
            // It is told in MHz.
            clock: self.device.max_clock_frequency().ok().map(|n| f64::from(n) * 1e6),
            vector: self.device.native_vector_width_float().map_or(1, |n| n.max(1) as usize)
                * size_of::<f32>(),
            limits: self.limits(),
            features: self.features(),
        }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn answers(&self, wanted: &str) -> bool {
        let platform = self.platform.to_lowercase();
        let alias = match wanted {
            "" => false,
            "opencl" => true,
            "gpu" => self.kind() == Kind::Gpu,
            "pocl" => platform.contains("portable computing language"),
            _ => false,
        };
        alias
            || !wanted.is_empty() && (platform.contains(wanted) || self.name.to_lowercase().contains(wanted))
    }

    unsafe fn load(&self, plan: &Plan, memory: &Memory) -> Result<Box<dyn Loaded>, Error> {
        let unsupported = |what| Error::Unsupported { device: self.describe(), what };
        if self.platform == pocl::PLATFORM {
            let what = "the driver would load code from its cache, and";
            let advice = "the variable POCL_CACHE_DIR names another folder";
            pocl::check_cache().map_err(|why| unsupported(format!("{what} {why}; {advice}")))?;
        }
        let session = self.session()?;
        session.fits(plan, memory)?;
        if !session.counts(plan) {
            return Err(unsupported("it has more work-items than the device can count".into()));
        }
        let kernels = program::build(self, &session, plan)?;
        Ok(Box::new(run::Program::new(session, kernels, memory)))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Stored>, Error> {
        Ok(Box::new(memory::Array::new(self.session()?, bytes)?))
    }

    /// Only a session copies.
    fn copies(&self) -> usize {
        lock(&self.session).as_ref().map_or(0, |session| session.copies.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::driver::{Arguments, Timing};
    use crate::tests::{devices as shown, two_kernels};
    use crate::there::{Operand, Place};
    use std::num::NonZeroUsize;
    use std::time::{Duration, Instant};

    /// A context counts the programs, kernels, memory and events that hold it. Drivers may keep more for
    /// themselves: pocl 3.1 never unloads a kernel's library, four mappings each, as a program in C shows too.
    #[test]
    fn what_is_dropped_is_released() {
        // Says so where there is none.
        shown();
        for device in devices(&Settings { cache: None, ..Settings::default() }).unwrap_or_default() {
            let session = device.session().unwrap();
            let held = || session.context.reference_count().unwrap();
            // The queues are the session's own.
            session.timed().unwrap();
            let before = held();
            for length in [100, 101] {
                let (plan, _) = two_kernels(length);
                let memory = plan.memory();
                // SAFETY: its kernels index their buffers in bounds.
                let loaded = unsafe { device.load(&plan, &memory) }.unwrap();
                let (factor, data) = (1f32.to_ne_bytes(), vec![1; 4 * length]);
                let mut result = vec![0; 4 * length];
                let operands = [Operand::Host(&factor), Operand::Host(&data)];
                for timing in [Timing::Each, Timing::None] {
                    let arguments = Arguments { operands: &operands, constants: None };
                    loaded.run(&plan, arguments, &mut [Place::Host(&mut result)], timing).unwrap();
                }
                // The result stays there, and is copied by itself.
                let (mut array, copied) = (device.allocate(4 * length).unwrap(), result.clone());
                let arguments = Arguments { operands: &operands, constants: None };
                loaded.run(&plan, arguments, &mut [Place::There(&mut *array)], Timing::None).unwrap();
                result.fill(1);
                array.read(&mut result).unwrap();
                assert_eq!(result, copied);
                drop(array);
                assert!(held() > before, "{}", device.describe());
                loaded.release();
                drop(loaded);
                assert_eq!(held(), before, "{}", device.describe());
            }
        }
    }

    /// Where the host has to be waited for, a row goes behind something else; here every device is taken for one that is apart.
    #[test]
    fn a_row_that_waits_for_its_end_leaves_what_one_run_leaves() {
        shown();
        for device in devices(&Settings { cache: None, ..Settings::default() }).unwrap_or_default() {
            let mut session = Session::new(&device.device, &Target::of(&device.description())).unwrap();
            session.on_host = false;
            let session = Arc::new(session);
            let (plan, _) = two_kernels(100);
            let kernels = program::build(&device, &session, &plan).unwrap();
            let loaded = run::Program::new(session, kernels, &plan.memory());
            let (factor, data) = (3f32.to_ne_bytes(), [1f32; 100].map(f32::to_ne_bytes).concat());
            let operands = [Operand::Host(&factor), Operand::Host(&data)];
            let arguments = || Arguments { operands: &operands, constants: None };
            let (mut one, mut many) = (vec![0; 400], vec![0; 400]);
            loaded.run(&plan, arguments(), &mut [Place::Host(&mut one)], Timing::None).unwrap();
            for runs in [1, 2, 40] {
                let start = Instant::now();
                let places = &mut [Place::Host(&mut many)];
                let time =
                    loaded.repeat(&plan, arguments(), places, NonZeroUsize::new(runs).unwrap()).unwrap();
                assert!(time > Duration::ZERO && time < start.elapsed(), "{}: {time:?}", device.describe());
                assert_eq!(many, one, "{}: {runs} runs", device.describe());
                many.fill(0);
            }
        }
    }
}
