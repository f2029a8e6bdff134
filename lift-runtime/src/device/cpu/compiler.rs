//! The system's C compiler.

use super::process;
use crate::threads::lock;
use crate::{Error, Settings, trust};
use std::collections::HashMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The commands that are tried, in order, if nobody names a compiler.
const CANDIDATES: [&str; 3] = ["cc", "gcc", "clang"];

/// The same where a program from the caller's `PATH` must not be run.
const SYSTEM: [&str; 3] = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"];

/// How long a compiler may take to say which one it is.
const ANSWER: Duration = Duration::from_secs(20);

/// How long it may take to build a program. Most take less than a second.
const BUILD: Duration = Duration::from_secs(300);

/// How compilers spell "for this processor"; the first that one understands is used.
const NATIVE: [Option<&str>; 3] = [Some("-march=native"), Some("-mcpu=native"), None];

const FLAGS: [&str; 10] = [
    "-O3",
    "-std=gnu11",
    "-shared",
    "-fPIC",
    // Nobody reads `errno`; without it `sqrt` and the like become instructions.
    "-fno-math-errno",
    "-fno-trapping-math",
    // Floats are computed in their order but where a pragma says that it does not matter: in reductions.
    "-fopenmp-simd",
    // What several multiply-adds read is loaded once: with a pointer for each array that is moved along, GCC reads it
    // anew for each of them, which takes a third longer.
    "-fno-ivopts",
    // A window's elements are loaded anew for each place of it: GCC hands them on from iteration to iteration, through more
    // registers than there are.
    "-fno-predictive-commoning",
    // A loop that begins in the middle of what a processor fetches at once takes up to a tenth longer where another thread
    // shares the core.
    "-falign-loops=32",
];

/// What is predefined for processors that compute with 16-bit floats, and the flags that do without and round as often. GCC 12
/// stores them under a mask in a way that such processors do not have, and its assembler refuses (`vmovsh` with `{z}`).
const HALVES: &str = "#define __AVX512FP16__ ";
const NO_HALVES: [&str; 2] = ["-mno-avx512fp16", "-fexcess-precision=16"];

/// May `a * b + c` be rounded once?
fn contraction(strict: bool) -> &'static str {
    if strict { "-ffp-contract=off" } else { "-ffp-contract=fast" }
}

/// A C compiler that runs.
#[derive(Debug)]
pub struct Compiler {
    /// Program and the user's own arguments.
    command: Vec<String>,
    native: Option<&'static str>,
    /// Everything that it predefines: its version, and the instructions of this processor.
    pub identity: String,
}

/// The compiler that the settings ask for.
///
/// # Errors
/// [`Error::NoCompiler`] if there is none; [`Error::Io`] if there is one that can't be started, fails or does not end.
pub fn compiler(settings: &Settings) -> Result<Arc<Compiler>, Error> {
    let variable = || std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty() && !trust::elevated());
    let tried = match settings.compiler.clone().or_else(variable) {
        Some(command) => vec![command],
        None if trust::elevated() => SYSTEM.map(String::from).to_vec(),
        None => CANDIDATES.map(String::from).to_vec(),
    };
    let mut failed = None;
    for command in &tried {
        match probe(command) {
            Ok(Some(compiler)) => return Ok(compiler),
            Ok(None) => {}
            Err(error) => failed = failed.or(Some((command, error))),
        }
    }
    match failed {
        Some((command, error)) => {
            Err(Error::Io { doing: format!("the C compiler `{command}` does not run"), error })
        }
        None => Err(Error::NoCompiler { tried }),
    }
}

/// The compiler that a command turned out to be. Locked by the one thread that asks it, for all others.
type Slot = Arc<Mutex<Option<Arc<Compiler>>>>;

/// Asks a compiler for its predefined macros, once per process. Who wants another compiler does not wait.
fn probe(command: &str) -> io::Result<Option<Arc<Compiler>>> {
    static FOUND: Mutex<Option<HashMap<String, Slot>>> = Mutex::new(None);
    let slot = lock(&FOUND).get_or_insert_default().entry(command.to_string()).or_default().clone();
    let mut found = lock(&slot);
    if found.is_none() {
        *found = ask(command)?.map(Arc::new);
    }
    Ok(found.clone())
}

fn ask(command: &str) -> io::Result<Option<Compiler>> {
    let words: Vec<String> = command.split_whitespace().map(String::from).collect();
    let Some((program, own)) = words.split_first() else { return Ok(None) };
    let mut complaint = String::new();
    for native in NATIVE {
        let mut command = Command::new(program);
        command.args(own).args(native).args(["-dM", "-E", "-x", "c", "-"]);
        let said = match process::run(&mut command, ANSWER) {
            // There is none of this name, or it is none of the user's.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                log::debug!("{program}: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error),
            Ok(said) => said,
        };
        let identity = String::from_utf8_lossy(&said.stdout).into_owned();
        if said.status.success() && !identity.is_empty() {
            return Ok(Some(Compiler { command: words, native, identity }));
        }
        complaint = complaint_of(program, &said);
    }
    Err(io::Error::other(complaint))
}

/// What a compiler said that failed.
fn complaint_of(program: &str, said: &Output) -> String {
    let errors = String::from_utf8_lossy(&said.stderr).trim().to_string();
    if errors.is_empty() { format!("{program}: {}", said.status) } else { errors }
}

impl Compiler {
    /// Is it Clang, by what it predefines?
    pub fn is_clang(&self) -> bool {
        self.identity.contains("#define __clang__ ")
    }

    /// Everything between the compiler's name and the files.
    pub fn arguments(&self, strict: bool) -> Vec<&str> {
        let own = self.command[1..].iter().map(String::as_str);
        own.chain(FLAGS).chain([contraction(strict)]).chain(self.native).collect()
    }

    /// The compiler's version, and in short everything else that it predefines: the processor.
    pub fn version(&self) -> String {
        let defined =
            |line: &str| Some(line.strip_prefix("#define __VERSION__ ")?.trim_matches('"').to_string());
        let version = self.identity.lines().find_map(defined).unwrap_or_default();
        let processor = blake3::hash(self.identity.as_bytes()).to_hex();
        format!("{} {version} ({})", self.command[0], &processor[..8])
    }

    /// Builds a shared library; a refusal answers with what the compiler said.
    pub fn run(&self, source: &Path, library: &Path, strict: bool) -> Result<(), String> {
        let run = |more: &[&str]| {
            let mut command = Command::new(&self.command[0]);
            command.args(self.arguments(strict)).args(more).arg("-o").arg(library).arg(source).arg("-lm");
            let said = process::run(&mut command, BUILD).map_err(|e| format!("{}: {e}", self.command[0]))?;
            if said.status.success() { Ok(()) } else { Err(complaint_of(&self.command[0], &said)) }
        };
        let built = run(&[]);
        match self.identity.contains(HALVES) {
            true => built.or_else(|complaint| run(&NO_HALVES).map_err(|_| complaint)),
            false => built,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::Instant;

    /// What is refused with instructions for 16-bit floats is built without them, and its results are the same.
    #[test]
    fn halves_are_built_in_another_way() {
        let folder = tempfile::tempdir().unwrap();
        let (cc, source) = (folder.path().join("cc"), folder.path().join("none.c"));
        let script = "#!/bin/sh\ncase \"$*\" in\n*-dM*) echo '#define __AVX512FP16__ 1' ;;\n\
                      *-mno-avx512fp16*-fexcess-precision=16*) echo built >none ;;\n*) echo unsupported masking >&2; exit 1 ;;\nesac\n";
        let script = script.replace(">none", &format!(">'{}'", folder.path().join("library").display()));
        std::fs::write(&cc, script).unwrap();
        std::fs::set_permissions(&cc, PermissionsExt::from_mode(0o755)).unwrap();
        let compiler = ask(cc.to_str().unwrap()).unwrap().unwrap();
        assert_eq!(compiler.run(&source, &folder.path().join("library"), false), Ok(()));
        assert!(folder.path().join("library").exists());
    }

    /// Threads that want a slow compiler wait for it; threads that want another one do not.
    #[test]
    fn a_slow_compiler_is_asked_alone() {
        let folder = tempfile::tempdir().unwrap();
        let slow = folder.path().join("slow");
        std::fs::write(&slow, "#!/bin/sh\necho >\"$0.asked\"; sleep 3; exec cc \"$@\"\n").unwrap();
        std::fs::set_permissions(&slow, PermissionsExt::from_mode(0o755)).unwrap();
        let (slow, asked) = (slow.to_str().unwrap(), folder.path().join("slow.asked"));
        std::thread::scope(|scope| {
            let both = [0, 1].map(|_| scope.spawn(|| (probe(slow).unwrap().unwrap(), Instant::now())));
            while !asked.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            probe("cc -DANOTHER").unwrap().unwrap();
            let done = Instant::now();
            let found = both.map(|thread| thread.join().unwrap());
            assert!(found.iter().all(|(_, at)| *at > done));
            assert!(Arc::ptr_eq(&found[0].0, &found[1].0), "it was asked once");
        });
    }
}
