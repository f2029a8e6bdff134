//! An exported folder: built and run as its user would.

use crate::common::{Trial, compare, devices, shapes, values};
use lift::Program;
use lift_runtime::{Compiled, Device};
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::Arc;
use values::Values;

/// Nothing that a compiler could complain of, and nothing that goes wrong unseen.
const CFLAGS: &str = "CFLAGS=-O1 -g -Werror -pedantic -fsanitize=address,undefined -fno-sanitize-recover";

pub struct Folder {
    pub path: PathBuf,
    /// Removed with it.
    _parent: tempfile::TempDir,
}

/// The OpenCL device to run on, if the exported program can be built here.
pub fn device() -> Option<&'static Device> {
    let works = |command: &str, arguments: &[&str]| {
        Command::new(command).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    if !works("make", &["--version"]) || !works("cc", &["-E", "-include", "CL/cl.h", "-x", "c", "/dev/null"])
    {
        devices::skip("no make or no headers of OpenCL", "apt install make ocl-icd-opencl-dev");
        return None;
    }
    devices::all().iter().find(|d| d.to_string().contains("Portable Computing Language"))
}

/// A program at these sizes, all of them, and random arguments.
pub fn trial<'a>(program: &'a Program, sizes: &[usize]) -> Trial<'a> {
    let sizes = shapes::named(program, &mut sizes.iter().copied());
    Trial::new(program, sizes, (-9.0, 9.0), &mut fastrand::Rng::with_seed(3))
}

pub fn compile(program: &Program, device: &Device, sizes: &[usize]) -> Arc<Compiled> {
    lift_runtime::compile(program, device, sizes).expect("it compiles")
}

impl Folder {
    /// Exported with arguments and what lift itself makes of them on a device.
    pub fn of(program: &Program, sizes: &[usize], device: &Device) -> Folder {
        Folder::built(&trial(program, sizes), &compile(program, device, sizes))
    }

    /// The same of a program in whatever form it was built.
    pub fn built(trial: &Trial, compiled: &Compiled) -> Folder {
        let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
        let results = compiled.run(&arguments).expect("it runs");
        let results: Vec<Values> = results.into_iter().map(values::of).collect();
        let expected: Vec<_> = trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
        compare::check(&results, &expected).expect("lift itself is right");
        let expected: Vec<_> = results.iter().map(values::argument).collect();
        let parent = tempfile::tempdir().expect("a temporary folder");
        let path = parent.path().join("exported");
        let export = compiled.export().arguments(&arguments).and_then(|e| e.expected(&expected));
        export.and_then(|export| export.write(&path)).expect("it is written");
        let folder = Folder { path, _parent: parent };
        let made = folder.command("make", &[CFLAGS]);
        assert!(made.status.success(), "{}", text(&made));
        folder
    }

    /// Runs a command in the folder.
    pub fn command(&self, command: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(command);
        // Drivers keep what they have made until the process ends.
        command.args(arguments).current_dir(&self.path).env("ASAN_OPTIONS", "detect_leaks=0");
        command.output().expect("it starts")
    }

    /// Runs the program, which is called so.
    pub fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let path = self.path.join(program);
        self.command(path.to_str().expect("a path of text"), &[&["--device", "pocl"], arguments].concat())
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path.join(name)).expect("it is there")
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path.join(name), bytes).expect("it can be written");
    }
}

/// All that a command said.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// What follows the header of a file of NumPy's.
pub fn elements(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|b| *b == b'\n').expect("a header ends in a newline");
    &bytes[end + 1..]
}
