//! The whole compiler: its stages in order, and why each is there.

use crate::check::{self, Typed};
use crate::expr::Function;
use crate::generate;
use crate::interpret::{self, Datum, Failure};
use crate::kernel::Plan;
use crate::lower;
use crate::nat::Facts;
use crate::program::{Program, SizeError, Sizes};

/// Why a checked program has no kernels at these sizes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The generator met something it does not know how to do.
    #[error("`{program}`: {message}")]
    Unsupported { program: String, message: String },
}

/// From a program to a plan at fixed sizes.
pub fn compile(program: &Program, sizes: &Sizes) -> Result<Plan, CompileError> {
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    // The clauses are demanded again of real sizes: from here on every condition can be decided.
    program.admits(sizes)?;
    let facts = facts(program, sizes);
    // Types are not stored with the tree; the checker finds them again after every stage.
    let typed = infer(&program.function, &facts).map_err(unsupported)?;
    // What is kept in memory, and where maps run.
    let lowered = lower::lower(&program.function, &typed, &facts);
    let typed = infer(&lowered, &facts).map_err(unsupported)?;
    // Views become indices, maps and reductions loops, kept values buffers.
    generate::generate(&lowered, &typed, &facts, sizes).map_err(|e| unsupported(e.0))
}

/// The lowered expression that [`compile`] generates code from.
pub fn lowered(program: &Program, sizes: &Sizes) -> Result<Function, CompileError> {
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    program.admits(sizes)?;
    let facts = facts(program, sizes);
    let typed = infer(&program.function, &facts).map_err(unsupported)?;
    Ok(lower::lower(&program.function, &typed, &facts))
}

/// The reference meaning of a program: slow, and the measure of everything else.
pub fn interpret(program: &Program, sizes: &Sizes, arguments: &[Datum]) -> Result<Datum, Failure> {
    let typed = infer(&program.function, &facts(program, sizes)).map_err(Failure::new)?;
    interpret::run(&program.function, &|id| typed.ty(id).cloned(), &sizes.0, arguments)
}

fn infer(function: &Function, facts: &Facts) -> Result<Typed, String> {
    check::infer_inlined(function, facts)
        .map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// The program's sizes are known: everything about them can be proved by evaluation.
fn facts(program: &Program, sizes: &Sizes) -> Facts {
    let mut facts = check::facts(&program.function);
    for (var, value) in &sizes.0 {
        facts.fix(var, *value);
    }
    facts
}
