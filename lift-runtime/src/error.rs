//! Everything that can go wrong between a program and its result.

use lift_core::CompileError;
use lift_core::graph::GraphError;
use lift_core::program::{SizeError, count, was};
use lift_core::types::Scalar;

/// Why a program could not be built or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no OpenCL device to be had.
    #[error("{0}")]
    NoDriver(NoDriver),
    /// No device answers to the name that was asked for.
    #[error("there is no device named `{wanted}`; there are: {}", .available.join(", "))]
    NoSuchDevice {
        /// What was asked for, in the program or in the environment.
        wanted: String,
        /// The names of all devices.
        available: Vec<String>,
    },
    /// The built-in device compiles with the system's C compiler, and there is none.
    #[error(
        "the built-in CPU device needs a C compiler, and none of {} runs; install one \
         (Debian and Ubuntu: `apt install gcc`; Fedora: `dnf install gcc`; macOS: `xcode-select --install`) \
         or name yours in the variable CC", .tried.join(", ")
    )]
    NoCompiler {
        /// The commands that were tried, in order.
        tried: Vec<String>,
    },
    /// The arguments or the sizes are not what the program asks for.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// An array's element type is not the parameter's.
    #[error("argument `{argument}` holds {got} where the program takes {expected}")]
    ArgumentType {
        /// The name of the parameter.
        argument: String,
        /// The scalar type of the parameter.
        expected: Scalar,
        /// The scalar type of the argument.
        got: Scalar,
    },
    /// Too few or too many sizes were given by value.
    #[error("`{program}` takes {} besides its arguments, but {got} {} given", count(*.expected, "size"), was(*.got))]
    SizeCount {
        /// The name of the program.
        program: String,
        /// How many sizes it has that no argument's shape determines.
        expected: usize,
        /// How many were given.
        got: usize,
    },
    /// A result was asked for as another Rust type, or with another rank, than it has.
    #[error("a result of {got} can't be read as {expected}")]
    ResultType {
        /// What it was to be read as.
        expected: String,
        /// What it is.
        got: String,
    },
    /// Another number of arrays was given to write results into than the program has results.
    #[error("`{program}` has {expected} result{}, but {got} places were given to write results to", if *expected == 1 { "" } else { "s" })]
    DestinationCount {
        /// The name of the program.
        program: String,
        /// How many results it has.
        expected: usize,
        /// How many arrays were given.
        got: usize,
    },
    /// An array that a result was to be written into is not of the result's type and shape.
    #[error("result {number} of `{program}` is {expected}, and can't be written into {got}")]
    Destination {
        /// The name of the program.
        program: String,
        /// Which of its results, from 0.
        number: usize,
        /// The result's type and lengths.
        expected: String,
        /// Those of the array.
        got: String,
    },
    /// An array lies on another device than the program was built for. What was opened by different calls of
    /// [`Device::all_with`](crate::Device::all_with) or [`Device::cpu_with`](crate::Device::cpu_with) are different devices, also if
    /// they are one piece of hardware.
    #[error(
        "{what} is on {got}, and the program was built for {expected}{}",
        if got == expected { ", opened another time: these share no arrays" } else { "" }
    )]
    OtherDevice {
        /// The argument or the result: the subject of the message.
        what: String,
        /// The device of the program.
        expected: String,
        /// The device of the array.
        got: String,
    },
    /// A network that does not fit together, or sizes that it does not admit.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// No kernels can be generated for the program at these sizes.
    #[error(transparent)]
    Compile(CompileError),
    /// The device's compiler refused generated code: a mistake in `lift` or in the compiler.
    #[error(
        "{device}'s compiler refused the kernels that were generated (a mistake in `lift` or in that compiler):\n{log}"
    )]
    Build {
        /// The name of the device.
        device: String,
        /// What the compiler said.
        log: String,
        /// The text it was given.
        text: String,
    },
    #[error("{what} needs {} of memory, but {}", size(*.bytes), match .available {
        Some(available) => format!("only {} is available", size(*available)),
        None => "so much can't be allocated".to_string(),
    })]
    /// An allocation on the host or the device was refused, or would be.
    OutOfMemory {
        /// What the memory is for: the subject of the message.
        what: String,
        /// Bytes that it needs.
        bytes: u128,
        /// Bytes that there are, where that is known.
        available: Option<u128>,
    },
    /// The device lacks a feature that a kernel needs, or has too little room for it.
    #[error("{device} can't run this program: {what}")]
    Unsupported {
        /// The name of the device.
        device: String,
        /// What is missing.
        what: String,
    },
    /// A call of the OpenCL API failed for a reason that has no error of its own here.
    #[error("the OpenCL driver refused {call}: {name} ({code})")]
    OpenCl {
        /// The function's name: `clEnqueueNDRangeKernel`.
        call: &'static str,
        /// The status that it returned, negative.
        code: i32,
        /// The name of that status in OpenCL's headers.
        name: String,
    },
    /// A plan that does not fit its signature; no plan of `lift_core::compile` is one.
    #[error("the plan of `{program}` is inconsistent: {what}")]
    Inconsistent {
        /// The name of the plan.
        program: String,
        /// The first thing that does not fit.
        what: String,
    },
    /// Results can only be checked where there are some.
    #[error(
        "`{program}` can't be tuned: for every kind of input that was tried its results have infinities or NaN in them, \
         by which right forms can't be told from wrong ones"
    )]
    NoReference {
        /// The name of the program.
        program: String,
    },
    /// Candidates run in a process of their own, which is this program started again.
    #[error(
        "call `lift::tune::worker()` first in `main`: tuning runs candidates in a process of their own, which is this \
         program started again, and that call is where it takes over"
    )]
    NoWorker,
    /// A worker ended outside a candidate, or said something else than its protocol allows.
    #[error("the process that runs candidates is lost: {0}")]
    WorkerLost(String),
    /// Nothing that was tried runs and is right, not even the program as it is.
    #[error("no form of `{program}` works on {device}: {reason}")]
    NoCandidate {
        /// The name of the program.
        program: String,
        /// The name of the device.
        device: String,
        /// Why nothing was accepted.
        reason: String,
    },
    /// The system refused to read, write or start something.
    #[error("{doing}: {error}")]
    Io {
        /// A clause that says what failed: `no thread can be started for …`.
        doing: String,
        /// The system's reason.
        error: std::io::Error,
    },
}

impl From<CompileError> for Error {
    fn from(error: CompileError) -> Error {
        match error {
            CompileError::Size(error) => Error::Size(error),
            other => Error::Compile(other),
        }
    }
}

/// Which part of OpenCL is missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoDriver {
    /// There is no library with OpenCL's functions: a loader (`libOpenCL`) or, on boards and phones, the driver itself.
    #[error("no library of OpenCL can be opened (`drivers::find` says where it was looked for); {INSTALL}")]
    Loader,
    /// The loader lists no platform.
    #[error("OpenCL's loader is there, but no driver for it is; {INSTALL}")]
    Driver,
    /// No platform lists a device.
    #[error("there is an OpenCL driver, but it finds no device; {INSTALL}")]
    Device,
    /// The program is set-uid, say.
    #[error(
        "OpenCL's loader and drivers obey variables of the caller, which this program must not, since it has rights \
         that its caller does not have; use the device `cpu`"
    )]
    Elevated,
    /// A driver such as pocl ends the process where it can't start its threads: none is loaded then.
    #[error(
        "the system has no room for the threads that OpenCL's drivers start, one for each core (`ulimit -u` and \
         `ulimit -v` show its limits); the device `cpu` needs none"
    )]
    Threads,
}

const INSTALL: &str = "install your GPU's OpenCL driver, or one for the processor \
    (Debian and Ubuntu: `apt install pocl-opencl-icd`; Fedora: `dnf install pocl`), or use the device `cpu`, \
    which needs none";

/// A number of bytes for people.
fn size(bytes: u128) -> String {
    const UNITS: [&str; 7] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"];
    let (mut value, mut unit) = (bytes as f64, "bytes");
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(size(1), "1 bytes");
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(3 << 40), "3.0 TiB");
        assert_eq!(size(1 << 70), "1.0 ZiB");
    }
}
