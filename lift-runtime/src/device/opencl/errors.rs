//! OpenCL's error codes as this crate's errors.

use crate::{Error, NoDriver};
use opencl3::error_codes::{
    CL_DEVICE_NOT_FOUND, CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY,
    CL_OUT_OF_RESOURCES, ClError, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED, error_text,
};

/// Why there are no platforms.
pub fn missing(code: i32) -> NoDriver {
    match code {
        // A loader that lacks a function is none, or one of a time before OpenCL 1.2.
        DLOPEN_RUNTIME_LOAD_FAILED | DLOPEN_FUNCTION_NOT_AVAILABLE => NoDriver::Loader,
        CL_DEVICE_NOT_FOUND => NoDriver::Device,
        _ => NoDriver::Driver,
    }
}

/// Names the call that failed.
pub fn call<T>(call: &'static str, result: Result<T, ClError>) -> Result<T, Error> {
    result.map_err(|error| Error::OpenCl { call, code: error.0, name: error_text(error.0).to_string() })
}

/// The same where the driver may lack memory: it may say so when it makes a buffer, or only when
/// a kernel or a copy first needs it.
pub fn memory<T>(
    name: &'static str,
    what: &str,
    bytes: usize,
    result: Result<T, ClError>,
) -> Result<T, Error> {
    match result {
        Err(ClError(
            CL_MEM_OBJECT_ALLOCATION_FAILURE
            | CL_OUT_OF_RESOURCES
            | CL_OUT_OF_HOST_MEMORY
            | CL_INVALID_BUFFER_SIZE,
        )) => Err(Error::OutOfMemory { what: what.to_string(), bytes: bytes as u128, available: None }),
        other => call(name, other),
    }
}
