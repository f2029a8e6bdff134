//! OpenCL programs: built from source, or from the binary that was kept.

use super::errors::call;
use super::kept::{Back, Kept};
use super::session::Session;
use super::{Driver, OpenCl};
use crate::{Error, cache};
use lift_core::kernel::{Launch, Plan};
use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BINARY, ClError};
use opencl3::kernel::Kernel;
use opencl3::program::Program;

/// No compiler option relaxes floats. Where reductions may be reordered, the kernels' text does so itself, with
/// `fma` where a product and a sum may be rounded once.
pub const OPTIONS: &str = "-cl-std=CL1.2";

/// A program with its kernels.
pub struct Built {
    pub kernels: Vec<Kernel>,
    program: Program,
}

/// The kernels of a plan's launches, in order, from the cache or built now.
pub fn build(device: &OpenCl, session: &Session, plan: &Plan) -> Result<Vec<Kernel>, Error> {
    let mut kernels: Vec<Option<Kernel>> = plan.launches.iter().map(|_| None).collect();
    for module in 0..plan.modules.len() {
        let launches = plan.launches.iter().enumerate().filter(|(_, launch)| launch.module == module);
        let (places, launches): (Vec<usize>, Vec<&Launch>) = launches.unzip();
        let names = plan.modules[module].kernel_names();
        let names: Vec<&str> = launches.iter().map(|launch| names[launch.kernel].as_str()).collect();
        let built = of_module(device, session, &plan.opencl_of(module), &names)?;
        places.into_iter().zip(built).for_each(|(place, kernel)| kernels[place] = Some(kernel));
    }
    Ok(kernels.into_iter().flatten().collect())
}

/// The kernels of these names, one of which may come more than once.
fn of_module(device: &OpenCl, session: &Session, source: &str, names: &[&str]) -> Result<Vec<Kernel>, Error> {
    device.supports(source)?;
    if !device.keeps_binaries() {
        return Ok(from_source(device, session, names, source)?.kernels);
    }
    let driver = device.device.driver_version().unwrap_or_default();
    let parts = ["opencl", source, OPTIONS, &device.name, &driver, &device.platform_version];
    let kept = Kept::of(&device.cache, &cache::key(&parts));
    let again = |binary: &[u8]| from_binary(session, names, binary);
    let back = match kept.taken_back(again) {
        Back::Taken(built) => return Ok(built.kernels),
        back => back,
    };
    let built = from_source(device, session, names, source)?;
    let binary = || {
        let binaries = call("clGetProgramInfo", built.program.get_binaries())?;
        Ok::<_, Error>(binaries.into_iter().next().unwrap_or_default())
    };
    let keep = match back {
        Back::Missing => binary().map(|binary| kept.keep(&binary)),
        Back::Refused => binary().and_then(|binary| again(&binary).map(|_| kept.keep_taken(&binary))),
        Back::Ended | Back::Taken(_) => Ok(()),
    };
    if let Err(error) = keep {
        log::warn!("{} gives no binary to keep: {error}", device.describe());
    }
    Ok(built.kernels)
}

fn from_binary(session: &Session, names: &[&str], binary: &[u8]) -> Result<Built, Error> {
    // Nor do all drivers look at the length before they read.
    if binary.is_empty() {
        return call("clCreateProgramWithBinary", Err(ClError(CL_INVALID_BINARY)));
    }
    let devices = session.context.devices();
    // SAFETY: the device is the context's own. The driver checks that a binary is one of its own; the
    // cache's checksum has found this one to be as the driver gave it.
    let program = unsafe { Program::create_from_binary(&session.context, devices, &[binary]) };
    let mut program = call("clCreateProgramWithBinary", program)?;
    call("clBuildProgram", program.build(devices, OPTIONS))?;
    Built::new(program, names)
}

fn from_source(device: &OpenCl, session: &Session, names: &[&str], source: &str) -> Result<Built, Error> {
    let program = Program::create_from_source(&session.context, source);
    let mut program = call("clCreateProgramWithSource", program)?;
    match program.build(session.context.devices(), OPTIONS) {
        Err(error) if error.0 == CL_BUILD_PROGRAM_FAILURE => {
            let log = program.get_build_log(session.device()).unwrap_or_default().trim().to_string();
            Err(Error::Build { device: device.describe(), log, text: source.to_string() })
        }
        other => {
            call("clBuildProgram", other)?;
            Built::new(program, names)
        }
    }
}

impl Built {
    fn new(program: Program, names: &[&str]) -> Result<Built, Error> {
        let kernel = |name: &&str| call("clCreateKernel", Kernel::create(&program, name));
        let kernels = names.iter().map(kernel).collect::<Result<_, _>>()?;
        Ok(Built { kernels, program })
    }
}
