//! Where programs run: OpenCL devices and a built-in one.

pub(crate) mod constants;
mod cpu;
pub(crate) mod driver;
mod idle;
mod opencl;
mod validate;

pub use driver::Kind;
pub use opencl::{Library, State, drivers};
pub(crate) use opencl::{OPTIONS, environment};

use crate::built::Built;
use crate::remembered::Remembered;
use crate::there::{DeviceOutput, Home, Stored};
use crate::{Error, NoDriver, Settings, Signature};
use driver::{Driver, Loaded};
use idle::Idle;
use lift_core::kernel::Plan;
use lift_core::target::Target;
use lift_core::types::Scalar;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Is there a C compiler for the built-in device?
pub(crate) fn has_compiler() -> bool {
    cpu::compiler(&Settings::default()).is_ok()
}

/// Where programs run. A clone is the same device; what was built for one is remembered by it.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    driver: Box<dyn Driver>,
    /// Of what the driver tells when it is first asked.
    target: OnceLock<Target>,
    /// The same with what was measured, once it was.
    calibrated: OnceLock<Target>,
    /// Which of all it is: some machines have several that are the same.
    number: usize,
    remembered: Remembered,
    /// What its arrays share, once there are any.
    home: OnceLock<Arc<Home>>,
}

/// The built-in device under the default settings. It is there without a driver being started: that takes long, and
/// some end the process where they lack something.
fn cpu() -> &'static Device {
    static CPU: OnceLock<Device> = OnceLock::new();
    CPU.get_or_init(|| Device::cpu_with(&Settings::default()))
}

/// OpenCL's devices under the default settings, found once.
fn opencl() -> &'static Result<Vec<Device>, NoDriver> {
    static FOUND: OnceLock<Result<Vec<Device>, NoDriver>> = OnceLock::new();
    FOUND.get_or_init(|| opencl_with(&Settings::default()))
}

fn opencl_with(settings: &Settings) -> Result<Vec<Device>, NoDriver> {
    let numbered = |(driver, number)| Device::new(driver, number);
    Ok(opencl::devices(settings)?.into_iter().zip(1..).map(numbered).collect())
}

impl Device {
    fn new(driver: impl Driver + 'static, number: usize) -> Device {
        let (driver, remembered) = (Box::new(driver), Remembered::default());
        Device {
            inner: Arc::new(Inner {
                driver,
                target: OnceLock::new(),
                calibrated: OnceLock::new(),
                number,
                remembered,
                home: OnceLock::new(),
            }),
        }
    }

    /// The built-in CPU device.
    pub fn cpu() -> Device {
        cpu().clone()
    }

    /// The built-in CPU device with settings of its own.
    pub fn cpu_with(settings: &Settings) -> Device {
        Device::new(cpu::Cpu::new(settings), 0)
    }

    /// Every device: the built-in one first, then OpenCL's in the order of their platforms.
    pub fn all() -> Vec<Device> {
        std::iter::once(cpu()).chain(opencl().iter().flatten()).cloned().collect()
    }

    /// Every device, with settings of their own; see [`Device::all`].
    pub fn all_with(settings: &Settings) -> Vec<Device> {
        let opencl = opencl_with(settings).unwrap_or_default();
        std::iter::once(Device::cpu_with(settings)).chain(opencl).collect()
    }

    /// A GPU through OpenCL if there is one, else the built-in CPU device, else, where no C compiler
    /// is installed, any OpenCL device.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] if there is none of the three.
    pub fn best() -> Result<Device, Error> {
        let mut others = opencl().iter().flatten();
        if let Some(gpu) = others.clone().find(|d| d.kind() == Kind::Gpu) {
            return Ok(gpu.clone());
        }
        match cpu::compiler(&Settings::default()) {
            Ok(_) => Ok(cpu().clone()),
            Err(error) => others.next().cloned().ok_or(error),
        }
    }

    /// The device of this name: `cpu` is the built-in one, `opencl` the first of OpenCL, `gpu` its
    /// first GPU, `pocl` the Portable Computing Language; else any part of an OpenCL device's or
    /// platform's name. Upper and lower case are the same.
    ///
    /// # Errors
    /// [`Error::NoDriver`] if it is none and there is no OpenCL device at all, else
    /// [`Error::NoSuchDevice`].
    pub fn named(name: &str) -> Result<Device, Error> {
        let wanted = name.trim().to_lowercase();
        if cpu().inner.driver.answers(&wanted) {
            return Ok(cpu().clone());
        }
        let others = opencl().as_ref().map_err(|missing| Error::NoDriver(*missing))?;
        others.iter().find(|d| d.inner.driver.answers(&wanted)).cloned().ok_or_else(|| {
            let available = Device::all().iter().map(|d| format!("`{}`", d.name())).collect();
            Error::NoSuchDevice { wanted: name.to_string(), available }
        })
    }

    /// The device that the variable `LIFT_DEVICE` names, else [`Device::best`].
    ///
    /// # Errors
    /// Those of [`Device::named`] and [`Device::best`].
    pub fn from_env() -> Result<Device, Error> {
        match std::env::var("LIFT_DEVICE") {
            Ok(name) if !name.trim().is_empty() => Device::named(&name),
            _ => Device::best(),
        }
    }

    /// The device's name, which [`Device::named`] understands.
    pub fn name(&self) -> String {
        self.inner.driver.name()
    }

    /// What kind of device it is.
    pub fn kind(&self) -> Kind {
        self.inner.driver.kind()
    }

    /// The version of the device's driver, or of the compiler that the built-in one uses: with another
    /// one, other kernels may be the fastest.
    pub fn version(&self) -> String {
        self.inner.driver.version()
    }

    /// # Safety
    /// As [`Device::load`].
    pub(crate) unsafe fn build(&self, plan: Plan, signature: Signature) -> Result<Arc<Built>, Error> {
        validate::validate(&plan, &signature)?;
        let memory = plan.memory();
        let loaded: Box<dyn Loaded> = match plan.is_idle() {
            true => Box::new(Idle),
            // SAFETY: the caller's promise is the same.
            false => unsafe { self.inner.driver.load(&plan, &memory) }?,
        };
        let built = Arc::new(Built::new(plan, memory, signature, loaded));
        self.remembered().loaded(&built);
        Ok(built)
    }

    /// What the device is, as far as the compiler, the model of costs and searches need to know.
    pub fn target(&self) -> &Target {
        self.inner.target.get_or_init(|| Target::of(&self.inner.driver.description()))
    }

    /// The same with what was measured of it, for the model of costs alone: made by this where it is not there yet, if it
    /// makes any.
    pub(crate) fn calibrated(&self, make: impl FnOnce() -> Option<Target>) -> &Target {
        let calibrated = &self.inner.calibrated;
        if calibrated.get().is_none()
            && let Some(target) = make()
        {
            return calibrated.get_or_init(|| target);
        }
        calibrated.get().unwrap_or_else(|| self.target())
    }

    /// Its place in [`Device::all`].
    pub(crate) fn number(&self) -> usize {
        self.inner.number
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.inner.driver.settings()
    }

    pub(crate) fn remembered(&self) -> &Remembered {
        &self.inner.remembered
    }

    /// What the device's arrays share.
    pub(crate) fn home(&self) -> &Arc<Home> {
        self.inner.home.get_or_init(|| Arc::new(Home::new(self.to_string())))
    }

    /// Memory for an array on the device.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<Box<dyn Stored>, Error> {
        self.with_room(|| self.inner.driver.allocate(bytes))
    }

    /// An array on the device, with anything in it.
    pub(crate) fn array(&self, scalar: Scalar, shape: &[usize]) -> Result<DeviceOutput, Error> {
        DeviceOutput::new(self.home(), scalar, shape, |bytes| self.allocate(bytes))
    }

    /// Does something. If memory is short, the device gives up what it holds for the next time, and it is tried again.
    pub(crate) fn with_room<R>(&self, mut attempt: impl FnMut() -> Result<R, Error>) -> Result<R, Error> {
        match attempt() {
            Err(Error::OutOfMemory { .. }) => {
                self.remembered().release();
                self.home().release();
                attempt()
            }
            other => other,
        }
    }

    /// How many arrays were copied between the host and the device so far: for tests.
    #[doc(hidden)]
    pub fn copies(&self) -> usize {
        self.inner.driver.copies()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.inner.driver.describe())
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
