//! From a program to its result: the functions that code made by `lift!` calls, and the same
//! for programs made at run time.

use crate::remembered::Identity;
use crate::signature::{Signature, solve};
use crate::{Argument, Compiled, Device, Error, Output};
use lift_core::{Program, Sizes};
use serde::Deserialize;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A program that `lift!` embedded in the user's code.
pub struct Entry {
    json: &'static str,
    parsed: OnceLock<(Program, Identity)>,
}

impl Entry {
    /// From the text that `serde_json` makes of a [`Program`].
    pub const fn new(json: &'static str) -> Entry {
        Entry { json, parsed: OnceLock::new() }
    }

    /// The program.
    ///
    /// # Panics
    /// If the text is not a program's, which `lift!` never writes.
    pub fn program(&self) -> &Program {
        &self.parsed().0
    }

    fn parsed(&self) -> &(Program, Identity) {
        self.parsed.get_or_init(|| match from_json(self.json) {
            Ok(program) => (program, *blake3::hash(self.json.as_bytes()).as_bytes()),
            Err(error) => panic!("`lift!` and `lift-runtime` are of different versions: {error}"),
        })
    }

    /// Builds the program for a device at these sizes, all of them, in the order of its `<…>`; the
    /// second time it is remembered.
    ///
    /// # Errors
    /// Sizes that the program does not admit, and everything that can go wrong in building.
    pub fn compile(&self, device: &Device, sizes: &[usize]) -> Result<Arc<Compiled>, Error> {
        let (program, identity) = self.parsed();
        build(program, identity, device, named(program, sizes)?)
    }

    /// Runs the program: the sizes that no argument determines, then the arguments.
    ///
    /// # Errors
    /// Arguments that don't fit the program, and everything that can go wrong in building and running.
    pub fn call(
        &self,
        device: &Device,
        free: &[usize],
        arguments: &[Argument<'_>],
    ) -> Result<Vec<Output>, Error> {
        let (program, identity) = self.parsed();
        build(program, identity, device, solve(program, free, arguments)?)?.run(arguments)
    }
}

/// The value of `lift!(|…| …)`: called like the function that it is, and the program beside it.
///
/// ```ignore
/// let square = lift!(|x: [f32; N]| map(|v| v * v, x));
/// let squares = square(&device, x.view())?;
/// let of_sums = square.program().of("x", sums::program())?;
/// ```
#[derive(Clone, Copy)]
pub struct Lifted<F> {
    function: F,
    entry: &'static Entry,
}

impl<F> Lifted<F> {
    /// A function, and the program that it runs.
    pub const fn new(function: F, entry: &'static Entry) -> Lifted<F> {
        Lifted { function, entry }
    }

    /// The checked program.
    pub fn program(&self) -> &'static Program {
        self.entry.program()
    }
}

impl<F> Deref for Lifted<F> {
    type Target = F;
    fn deref(&self) -> &F {
        &self.function
    }
}

/// Nested as deeply as the macro's parser allows, which is deeper than `serde_json` does by itself.
pub(crate) fn from_json(json: &str) -> serde_json::Result<Program> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.disable_recursion_limit();
    Program::deserialize(&mut deserializer)
}

/// Builds a program made at run time; see [`Entry::compile`].
///
/// # Errors
/// As [`Entry::compile`].
pub fn compile(program: &Program, device: &Device, sizes: &[usize]) -> Result<Arc<Compiled>, Error> {
    build(program, &identity(program)?, device, named(program, sizes)?)
}

/// Runs a program made at run time; see [`Entry::call`]. Each call hashes the program: where that
/// matters, [`compile`] once.
///
/// # Errors
/// As [`Entry::call`].
pub fn run(
    program: &Program,
    device: &Device,
    free: &[usize],
    arguments: &[Argument<'_>],
) -> Result<Vec<Output>, Error> {
    let sizes = solve(program, free, arguments)?;
    build(program, &identity(program)?, device, sizes)?.run(arguments)
}

fn build(
    program: &Program,
    identity: &Identity,
    device: &Device,
    sizes: Sizes,
) -> Result<Arc<Compiled>, Error> {
    let key = (*identity, sizes.0.iter().map(|(_, value)| *value).collect());
    let built = device.remembered().get(key, || {
        let sizes = lift_core::tune::choose::tuned(program, &sizes)?;
        let plan = lift_core::compile(program, &sizes, device.target())?;
        // SAFETY: the compiler makes plans whose indices are in bounds of their buffers.
        unsafe { device.build(plan, Signature::new(program, &sizes)?) }
    })?;
    Ok(Arc::new(Compiled::new(device.clone(), built)))
}

/// Sizes by position as sizes by name, checked against what the program states. The values of
/// `tune` parameters may be left out.
pub(crate) fn named(program: &Program, sizes: &[usize]) -> Result<Sizes, Error> {
    let (expected, got) = (program.given().count(), sizes.len());
    let all = program.sizes().len() == got;
    if expected != got && !all {
        return Err(Error::SizeCount { program: program.name().to_string(), expected, got });
    }
    let value = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    let given = program.sizes().iter().filter(|s| all || s.tune.is_none());
    let sizes = Sizes(given.zip(sizes).map(|(s, n)| (s.var.clone(), value(*n))).collect());
    program.admits(&sizes)?;
    Ok(sizes)
}

/// A short text for all that a program is.
pub(crate) fn hash(program: &Program) -> Result<String, Error> {
    Ok(identity(program)?.iter().take(8).map(|b| format!("{b:02x}")).collect())
}

pub(crate) fn identity(program: &Program) -> Result<Identity, Error> {
    let mut hasher = blake3::Hasher::new();
    match serde_json::to_writer(&mut hasher, program) {
        Ok(()) => Ok(*hasher.finalize().as_bytes()),
        Err(error) => {
            let doing = format!("the program `{}` can't be written down", program.name());
            Err(Error::Io { doing, error: error.into() })
        }
    }
}
