//! The whole compiler: its stages in order, and why each is there.

use crate::check::{self, Typed};
use crate::expr::Function;
use crate::expr::Tune;
use crate::generate::{self, passes, passes::Pass};
use crate::interpret::{self, Datum, Failure};
use crate::kernel::Plan;
use crate::low;
use crate::lower;
use crate::nat::{EvalError, Facts, Nat, Var};
use crate::placement;
use crate::program::{Program, SizeError, Sizes};
use crate::syntax::{self, Diagnostic};
use crate::tune::{self, Space, Unsolved};
use crate::types::Type;
use std::rc::Rc;

/// Why a checked program has no kernels at these sizes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CompileError {
    /// The program does not admit the sizes.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The generator met something it does not know how to do.
    #[error("`{program}`: {message}")]
    Unsupported { program: String, message: String },
}

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

/// From a program to a plan at fixed sizes.
pub fn compile(program: &Program, sizes: &Sizes) -> Result<Plan, CompileError> {
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    // The clauses are demanded again of real sizes: from here on every condition can be decided.
    let sizes = &tuned(program, sizes)?;
    let facts = facts(program, sizes);
    let lowered = lower(program, &facts).map_err(unsupported)?;
    // Views become indices, maps and reductions loops, kept values buffers.
    generate::generate(&program.function, &lowered, &facts, sizes, &PASSES).map_err(|e| unsupported(e.0))
}

/// What is done to the statements of each kernel, in this order.
pub static PASSES: [&Pass; 3] = [&passes::BARRIERS, &passes::UNROLL, &passes::REGISTERS];

/// What is read where it is needed, what is written into memory, and where maps run.
fn lower(program: &Program, facts: &Facts) -> Result<Rc<low::Write>, String> {
    // Types are not stored with the tree: the checker finds them, by the numbers of nodes.
    let function = program.function.clone().number();
    let typed = infer(&function, facts)?;
    // What is read and what is written, as the program has it.
    let low = low::of(&function, &typed).map_err(|refused| refused.0)?;
    // Private functions are not checked for how they place their maps until they are run themselves.
    if let Some(mistake) = placement::check_final(&function, &low).first() {
        return Err(mistake.to_string());
    }
    // What is kept in memory, and where maps run, as far as nobody has said.
    Ok(lower::lower(&low, facts))
}

/// The program that [`compile`] generates code from, as an expression that says what is kept and where maps run.
pub fn lowered(program: &Program, sizes: &Sizes) -> Result<Function, CompileError> {
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    let sizes = &tuned(program, sizes)?;
    let lowered = lower(program, &facts(program, sizes)).map_err(unsupported)?;
    let body = lowered
        .read
        .to_expr()
        .ok_or_else(|| unsupported("the lowered program cannot be written as an expression".into()))?;
    Ok(Function { body, ..program.function.clone() }.number())
}

/// These sizes and values of the `tune` parameters: those given, and for the others the first that
/// satisfy what the program asks of them.
pub fn tuned(program: &Program, sizes: &Sizes) -> Result<Sizes, CompileError> {
    program.admits(sizes)?;
    let space = space(program, sizes)?;
    if space.parameters.is_empty() {
        return Ok(sizes.clone());
    }
    in_their_ranges(program, sizes)?;
    let chosen =
        space.first(&|v| sizes.get(v), STEPS).map_err(|why| untunable(program, sizes, &space, why))?;
    let value = |var: &Var| sizes.get(var).or(chosen.iter().find(|(v, _)| v == var).map(|(_, n)| *n));
    Ok(Sizes(program.sizes().iter().filter_map(|s| Some((s.var.clone(), value(&s.var)?))).collect()))
}

/// What the `tune` parameters may be at these sizes. One whose value is among them keeps it.
pub fn space(program: &Program, sizes: &Sizes) -> Result<Space, CompileError> {
    if program.sizes().iter().all(|s| s.tune.is_none()) {
        return Ok(Space::default());
    }
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    let given = Sizes(program.given().filter_map(|s| Some((s.var.clone(), sizes.get(&s.var)?))).collect());
    let typed = infer(&program.function, &facts(program, &given)).map_err(unsupported)?;
    let constraints = typed.constraints.into_iter().map(|(condition, _)| condition);
    let mut space = check::space(&program.function, constraints);
    for (var, range) in &mut space.parameters {
        if let Some(value) = sizes.get(var) {
            space.constraints.push(range.contains(&Nat::constant(value)));
            *range = Tune::List(vec![Nat::constant(value)]);
        }
    }
    Ok(space)
}

/// So many partial choices of `tune` parameters are looked at before giving up.
const STEPS: usize = 10_000_000;

/// And so many to find out whether a constraint has to do with there being none.
const WHY_STEPS: usize = 100_000;

/// Values that were given are in their parameters' ranges, as far as these are known.
fn in_their_ranges(program: &Program, sizes: &Sizes) -> Result<(), SizeError> {
    for size in program.sizes() {
        if let (Some(range), Some(got)) = (&size.tune, sizes.get(&size.var))
            && range.contains(&Nat::constant(got)).eval(&|v| sizes.get(v)) == Ok(false)
        {
            let (program, parameter) = (program.name().into(), size.var.to_string());
            let (range, sizes) = (range.to_string(), sizes.to_string());
            return Err(SizeError::OutOfRange { program, parameter, range, got, sizes });
        }
    }
    Ok(())
}

/// Which parameters have no values, and because of what.
fn untunable(program: &Program, sizes: &Sizes, space: &Space, why: Unsolved) -> SizeError {
    let name = program.name().to_string();
    if why == Unsolved::GivenUp {
        return SizeError::TuningGivenUp { program: name, sizes: sizes.to_string() };
    }
    let conflict = space.conflict(&|v| sizes.get(v), WHY_STEPS);
    let asked: Vec<String> = conflict.constraints.iter().map(ToString::to_string).collect();
    let about = Sizes(sizes.0.iter().filter(|(v, _)| conflict.mentions(v)).cloned().collect());
    let open = conflict.parameters.iter().filter(|(var, _)| sizes.get(var).is_none());
    match tune::in_words(open) {
        // All of them were given.
        open if open.is_empty() => {
            SizeError::Where { program: name, clause: asked.join(", "), sizes: about.to_string() }
        }
        parameters => SizeError::NoTuning {
            program: name,
            parameters,
            asked: asked.join(", "),
            sizes: about.to_string(),
        },
    }
}

/// How many numbers the largest value holds that [`interpret()`] makes: what it needs memory for.
pub fn largest(program: &Program, sizes: &Sizes) -> Result<u128, CompileError> {
    let unsupported = |message: String| CompileError::Unsupported { program: program.name().into(), message };
    let sizes = &tuned(program, sizes)?;
    let typed = infer(&program.function, &facts(program, sizes)).map_err(unsupported)?;
    let numbers = |ty: &Type| match ty.scalars().eval(&|v| sizes.get(v)) {
        Ok(count) => u128::try_from(count).unwrap_or(0),
        Err(EvalError::Overflow) => u128::MAX,
        // It depends on an index: what it is part of counts.
        Err(_) => 0,
    };
    let mut most = 0;
    program.function.body.visit(&mut |e| most = most.max(typed.ty(e.id).map_or(0, numbers)));
    Ok(program.params().iter().map(|param| numbers(&param.ty)).fold(most, u128::max))
}

/// The reference meaning of a program: slow, and the measure of everything else.
pub fn interpret(program: &Program, sizes: &Sizes, arguments: &[Datum]) -> Result<Datum, Failure> {
    let sizes = &tuned(program, sizes).map_err(|e| Failure::new(e.to_string()))?;
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
