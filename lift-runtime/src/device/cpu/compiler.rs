//! The system's C compiler.

use crate::{Error, Settings};
use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// Tried in order where nobody names one.
const CANDIDATES: [&str; 3] = ["cc", "gcc", "clang"];

/// How compilers spell "for this processor"; the first that one understands is used.
const NATIVE: [Option<&str>; 3] = [Some("-march=native"), Some("-mcpu=native"), None];

const FLAGS: [&str; 8] = [
    "-O3",
    "-std=gnu11",
    "-shared",
    "-fPIC",
    // Integer arithmetic wraps, as it does in the language.
    "-fwrapv",
    // Nobody reads `errno`; without it `sqrt` and the like become instructions.
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
];

/// Sums may be taken in any order, which is what vectorising them needs. NaN and infinity keep
/// their meaning, so `-ffast-math` is out.
const RELAXED: [&str; 2] = ["-fassociative-math", "-fno-signed-zeros"];

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
/// [`Error::NoCompiler`] if none runs.
pub fn compiler(settings: &Settings) -> Result<Arc<Compiler>, Error> {
    let named =
        settings.compiler.clone().or_else(|| std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty()));
    let tried = match named {
        Some(command) => vec![command],
        None => CANDIDATES.map(String::from).to_vec(),
    };
    tried.iter().find_map(|command| probe(command)).ok_or(Error::NoCompiler { tried })
}

/// Asks a compiler for its predefined macros, once per process.
fn probe(command: &str) -> Option<Arc<Compiler>> {
    static FOUND: Mutex<Option<HashMap<String, Arc<Compiler>>>> = Mutex::new(None);
    let mut found = crate::remembered::lock(&FOUND);
    let found = found.get_or_insert_default();
    if let Some(compiler) = found.get(command) {
        return Some(compiler.clone());
    }
    let words: Vec<String> = command.split_whitespace().map(String::from).collect();
    let compiler = Arc::new(NATIVE.into_iter().find_map(|native| {
        let mut command = Command::new(words.first()?);
        command.args(&words[1..]).args(native).args(["-dM", "-E", "-x", "c", "-"]);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let identity = String::from_utf8_lossy(&output.stdout).into_owned();
        let sound = output.status.success() && !identity.is_empty();
        sound.then(|| Compiler { command: words.clone(), native, identity })
    })?);
    found.insert(command.to_string(), compiler.clone());
    Some(compiler)
}

impl Compiler {
    /// Everything between the compiler's name and the files.
    pub fn arguments(&self, strict: bool) -> Vec<&str> {
        let own = self.command[1..].iter().map(String::as_str);
        let relaxed = RELAXED.iter().take(if strict { 0 } else { RELAXED.len() });
        own.chain(FLAGS).chain(self.native).chain(relaxed.copied()).collect()
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
        let mut command = Command::new(&self.command[0]);
        command.args(self.arguments(strict)).arg("-o").arg(library).arg(source).arg("-lm");
        let output =
            command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", self.command[0]))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_string();
        Err(if said.is_empty() { format!("{}: {}", self.command[0], output.status) } else { said })
    }
}
