//! The whole compiler: its stages in order, and why each is there.

use crate::check::{self};
use crate::datum::{Datum, Failure};
use crate::expr::Function;
use crate::generate::{self, passes, passes::Pass};
use crate::interpret::{self};
use crate::kernel::{Plan, Role, Rows};
use crate::low;
use crate::lower;
use crate::nat::Facts;
use crate::placement;
pub use crate::program::CompileError;
use crate::program::{Program, Sizes};
use crate::syntax::{self, Diagnostic};
use crate::target::Target;
use crate::tune::choose::{given, tuned};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Checks the functions of one block together, and inlines their calls. All mistakes are
/// reported, not only the first.
pub fn check(functions: &[syntax::Function]) -> Result<Vec<Program>, Vec<Diagnostic>> {
    // Shapes, for all sizes.
    let programs = check::check(functions)?;
    // Where maps run and what is kept where, if that is said. A helper is looked at where it is called.
    let public = functions.iter().filter(|f| f.public).map(|f| &*f.name.text).collect::<Vec<_>>();
    let placed = programs.iter().filter(|program| public.contains(&program.name()));
    let mistakes: Vec<Diagnostic> = placed.flat_map(|program| placement::check(&program.function)).collect();
    if mistakes.is_empty() { Ok(programs) } else { Err(mistakes) }
}

/// From a program to a plan at fixed sizes, for a device.
pub fn compile(program: &Program, sizes: &Sizes, target: &Target) -> Result<Plan, CompileError> {
    compile_in_rows(program, sizes, target, &BTreeMap::new())
}

/// The same for arguments and results of which some lie in rows that are apart. The plan's buffers have the lengths of the arrays
/// themselves: who launches its kernels has longer ones.
pub fn compile_in_rows(
    program: &Program,
    sizes: &Sizes,
    target: &Target,
    rows: &BTreeMap<Role, Rows>,
) -> Result<Plan, CompileError> {
    let unsupported = |message: String| program.unsupported(message);
    // The clauses are demanded again of real sizes: from here on every condition can be decided.
    let sizes = &match given(program, sizes)? {
        Some(sizes) => sizes,
        None => tuned(program, sizes)?,
    };
    let facts = check::facts_at(&program.function, sizes);
    let refused = |message| match tuned(program, sizes) {
        Ok(_) => unsupported(message),
        // What the program asks of its parameters says more.
        Err(why) => why,
    };
    let lowered = lower(program, &facts, sizes, target).map_err(refused)?;
    // Views become indices, maps and reductions loops, kept values buffers.
    generate::generate(&program.function, &lowered, &facts, sizes, target, &PASSES, rows)
        .map_err(|e| unsupported(e.0))
}

/// What is done to the statements of each kernel, in this order.
pub static PASSES: [&Pass; 12] = [
    &passes::BARRIERS,
    &passes::PADDING,
    &passes::CLAMPED,
    &passes::TRANSPOSED,
    &passes::RECIPROCALS,
    &passes::UNROLL,
    &passes::SETTLED,
    &passes::REGISTERS,
    &passes::HALVES,
    &passes::STRIDED,
    &passes::PIECEWISE,
    &passes::SOON,
];

/// What is read where it is needed, what is written into memory, and where maps run.
fn lower(program: &Program, facts: &Facts, sizes: &Sizes, target: &Target) -> Result<Rc<low::Write>, String> {
    // Types are not stored with the tree: the checker finds them, by the numbers of nodes.
    let function = program.function.clone().number();
    let typed = check::infer_again(&function, facts)?;
    // What the checker leaves to the choice of `tune` parameters: these have values now, which may have been given.
    let broken = typed.constraints.iter().find(|(c, _)| c.eval(&|v| sizes.get(v)) != Ok(true));
    if let Some((condition, _)) = broken {
        return Err(format!("`{condition}` does not hold"));
    }
    // What is read and what is written, as the program has it.
    let low = low::of(&function, &typed).map_err(|refused| refused.0)?;
    // Private functions are not checked for how they place their maps until they are run themselves.
    if let Some(mistake) = placement::check_final(&function, &low).first() {
        return Err(mistake.to_string());
    }
    // What is kept in memory, and where maps run, as far as nobody has said.
    Ok(lower::lower(&low, facts, target))
}

/// The program that [`compile`] generates code from, as an expression that says what is kept and where maps run.
pub fn lowered(program: &Program, sizes: &Sizes, target: &Target) -> Result<Function, CompileError> {
    let unsupported = |message: String| program.unsupported(message);
    let sizes = &tuned(program, sizes)?;
    let facts = check::facts_at(&program.function, sizes);
    let lowered = lower(program, &facts, sizes, target).map_err(unsupported)?;
    let body = lowered
        .read
        .to_expr()
        .ok_or_else(|| unsupported("the lowered program cannot be written as an expression".into()))?;
    Ok(Function { body, ..program.function.clone() }.number())
}

/// How many numbers the largest value holds that [`interpret()`] makes: what it needs memory for.
pub fn largest(program: &Program, sizes: &Sizes) -> Result<u128, CompileError> {
    let sizes = &tuned(program, sizes)?;
    let typed = check::infer_again(&program.function, &check::facts_at(&program.function, sizes))
        .map_err(|message| program.unsupported(message))?;
    Ok(interpret::largest(&program.function, &|id| typed.ty(id).cloned(), &|v| sizes.get(v)))
}

/// The reference meaning of a program: slow, and the measure of everything else.
pub fn interpret(program: &Program, sizes: &Sizes, arguments: &[Datum]) -> Result<Datum, Failure> {
    let sizes = &tuned(program, sizes).map_err(|e| Failure::new(e.to_string()))?;
    let facts = check::facts_at(&program.function, sizes);
    let typed = check::infer_again(&program.function, &facts).map_err(Failure::new)?;
    interpret::run(&program.function, &|id| typed.ty(id).cloned(), &sizes.0, arguments)
}
