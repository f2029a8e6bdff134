//! OpenCL programs: built from source, or from the binary that was kept.

use super::errors::call;
use super::session::Session;
use super::{Driver, OpenCl};
use crate::{Error, cache};
use opencl3::error_codes::CL_BUILD_PROGRAM_FAILURE;
use opencl3::program::Program;

/// Floats may be contracted and their zeros' signs dropped; NaN and infinity keep their meaning.
const RELAXED: &str = "-cl-std=CL1.2 -cl-mad-enable -cl-no-signed-zeros";
const STRICT: &str = "-cl-std=CL1.2";

/// What the compiler is told about floats.
pub fn options(strict: bool) -> &'static str {
    if strict { STRICT } else { RELAXED }
}

/// The program of a source text, from the cache or built now.
pub fn build(device: &OpenCl, session: &Session, source: &str, strict: bool) -> Result<Program, Error> {
    let options = options(strict);
    if !device.keeps_binaries() {
        return from_source(device, session, source, options);
    }
    let driver = device.device.driver_version().unwrap_or_default();
    let parts = ["opencl", source, options, &device.name, &driver, &device.platform_version];
    let file = format!("{}.clbin", cache::key(&parts));
    if let Some(binary) = device.cache.read(&file) {
        match from_binary(session, &binary, options) {
            Ok(program) => return Ok(program),
            Err(error) => device.cache.remove(&file, &error.to_string()),
        }
    }
    let program = from_source(device, session, source, options)?;
    match program.get_binaries() {
        Ok(binaries) => {
            binaries.iter().take(1).filter(|b| !b.is_empty()).for_each(|b| device.cache.write(&file, b))
        }
        Err(error) => log::warn!("{} gives no binary to keep: {error}", device.describe()),
    }
    Ok(program)
}

fn from_binary(session: &Session, binary: &[u8], options: &str) -> Result<Program, Error> {
    let devices = session.context.devices();
    // SAFETY: the device is the context's own. The driver checks that a binary is one of its own; the
    // cache's checksum has found this one to be as the driver gave it.
    let program = unsafe { Program::create_from_binary(&session.context, devices, &[binary]) };
    let mut program = call("clCreateProgramWithBinary", program)?;
    call("clBuildProgram", program.build(devices, options))?;
    Ok(program)
}

fn from_source(device: &OpenCl, session: &Session, source: &str, options: &str) -> Result<Program, Error> {
    let program = Program::create_from_source(&session.context, source);
    let mut program = call("clCreateProgramWithSource", program)?;
    match program.build(session.context.devices(), options) {
        Err(error) if error.0 == CL_BUILD_PROGRAM_FAILURE => {
            let log = program.get_build_log(session.device()).unwrap_or_default().trim().to_string();
            Err(Error::Build { device: device.describe(), log, text: source.to_string() })
        }
        other => call("clBuildProgram", other).map(|()| program),
    }
}
