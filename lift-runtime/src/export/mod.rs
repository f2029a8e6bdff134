//! A compiled program as a folder of C and OpenCL, for machines without Rust.

mod host;
mod npy;
mod text;

use crate::signature::Parameter;
use crate::{Argument, Compiled, Error};
use host::Host;
use lift_core::program::SizeError;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The parts of the host code that are the same for every program.
const FIXED: [(&str, &str); 3] = [
    ("host.h", include_str!("c/host.h")),
    ("npy.h", include_str!("c/npy.h")),
    ("opencl.h", include_str!("c/opencl.h")),
];

/// A program to be exported: its kernels, the C program that runs them, a Makefile, and, if they are given,
/// arguments and results to try it with.
pub struct Export {
    compiled: Compiled,
    form: Option<String>,
    /// Files of arrays, as they will be written.
    arguments: Vec<Vec<u8>>,
    expected: Vec<Vec<u8>>,
}

impl Compiled {
    /// The program as C and OpenCL at its sizes, which need neither Rust nor this library: see
    /// [`Export::write`].
    pub fn export(&self) -> Export {
        Export { compiled: self.clone(), form: None, arguments: vec![], expected: vec![] }
    }
}

impl Export {
    /// Says in the folder which form of the program this is, in the words of [`crate::tune::Choice`], say.
    #[must_use]
    pub fn form(self, form: impl ToString) -> Export {
        Export { form: Some(form.to_string()), ..self }
    }

    /// Puts arguments into the folder.
    ///
    /// # Errors
    /// Arguments that the program does not take.
    pub fn arguments(self, arguments: &[Argument<'_>]) -> Result<Export, Error> {
        self.compiled.signature().check(arguments)?;
        let parameters = &self.compiled.signature().parameters;
        let named = arguments.iter().zip(parameters).map(|(argument, p)| npy::file(argument, &p.name));
        Ok(Export { arguments: named.collect::<Result<_, _>>()?, ..self })
    }

    /// Puts results into the folder, with which `make check` compares what comes out.
    ///
    /// # Errors
    /// Arrays that are not of the results' number, types and shapes.
    pub fn expected(self, results: &[Argument<'_>]) -> Result<Export, Error> {
        let signature = self.compiled.signature();
        let (expected, got) = (signature.results.len(), results.len());
        if expected != got {
            return Err(SizeError::ArgumentCount { program: signature.program.clone(), expected, got }.into());
        }
        for ((scalar, shape), result) in signature.results.iter().zip(results) {
            let lengths = shape.iter().map(usize::to_string).collect();
            let (name, shape) = ("the expected result".into(), shape.clone());
            Parameter { name, scalar: *scalar, shape, lengths }.check(result)?;
        }
        let files = results.iter().map(|result| npy::file(result, "the expected result"));
        Ok(Export { expected: files.collect::<Result<_, _>>()?, ..self })
    }

    /// Writes a folder of this name, which must not be there yet. It has
    /// * the kernels, unchanged, and `main.c`: a C99 program that needs nothing but libOpenCL. It reads
    ///   each argument from a file of NumPy's with the parameter's name, prepares once what depends on
    ///   constants alone, runs the kernels, and writes the results;
    /// * a `Makefile`, for `make run` and `make check`, and a `README.md` that says what is what.
    ///
    /// The folder appears when it is complete, or not at all.
    ///
    /// # Errors
    /// [`Error::Io`] if there is something of this name, or the folder can't be written.
    pub fn write(&self, folder: impl AsRef<Path>) -> Result<(), Error> {
        let folder = folder.as_ref();
        let doing = || format!("the program can't be exported to `{}`", folder.display());
        self.create(folder).map_err(|error| Error::Io { doing: doing(), error })
    }

    /// Written under another name beside it, and renamed.
    fn create(&self, folder: &Path) -> io::Result<()> {
        match folder.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(_) => return Err(io::Error::new(ErrorKind::AlreadyExists, "there is something of this name")),
        }
        let parent = folder.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent)?;
        let mut builder = tempfile::Builder::new();
        // For others to read too, as far as the user's mask allows.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
        let temporary = builder.prefix(".lift").tempdir_in(parent)?;
        self.fill(temporary.path())?;
        fs::rename(temporary.path(), folder)?;
        // It has another name now: there is nothing to remove.
        let _ = temporary.keep();
        Ok(())
    }

    fn fill(&self, folder: &Path) -> io::Result<()> {
        let host = Host::new(&self.compiled);
        let (data, expected) = (!self.arguments.is_empty(), !self.expected.is_empty());
        let write = |name: &str, text: &str| fs::write(folder.join(name), text);
        host.texts().iter().try_for_each(|(file, text)| write(file, text))?;
        write("main.c", &host.main())?;
        write("Makefile", &text::makefile(&host))?;
        write("README.md", &text::readme(&host, self.form.as_deref(), data, expected))?;
        FIXED.iter().try_for_each(|(name, text)| write(name, text))?;
        let arguments = self.arguments.iter().zip(&host.parameters);
        let results = self.expected.iter().zip(&host.expected);
        arguments
            .chain(results)
            .try_for_each(|(bytes, name)| fs::write(folder.join(format!("{name}.npy")), bytes))
    }
}
