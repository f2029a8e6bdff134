//! The values of a program's `tune` parameters at given sizes: those that were given, if they are admitted, and for
//! the others the first that satisfy what the program asks of them.

use super::{Space, Unsolved, in_words};
use crate::check::{self, Typed};
use crate::expr::Tune;
use crate::nat::{Nat, Var};
use crate::program::{CompileError, Program, SizeError, Sizes};

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

/// The sizes, if they are all given, values of `tune` parameters included: that these are admitted follows for certain only once the
/// program has been checked with them.
pub fn given(program: &Program, sizes: &Sizes) -> Result<Option<Sizes>, CompileError> {
    program.admits(sizes)?;
    let all: Option<Vec<(Var, i64)>> =
        program.sizes().iter().map(|s| Some((s.var.clone(), sizes.get(&s.var)?))).collect();
    if all.is_some() {
        in_their_ranges(program, sizes)?;
    }
    Ok(all.map(Sizes))
}

/// What the `tune` parameters may be at these sizes. One whose value is among them keeps it.
pub fn space(program: &Program, sizes: &Sizes) -> Result<Space, CompileError> {
    if program.sizes().iter().all(|s| s.tune.is_none()) {
        return Ok(Space::default());
    }
    let given = Sizes(program.given().filter_map(|s| Some((s.var.clone(), sizes.get(&s.var)?))).collect());
    let typed = check::infer_again(&program.function, &check::facts_at(&program.function, &given))
        .map_err(|message| program.unsupported(message))?;
    Ok(space_of(program, sizes, &typed))
}

/// The same where the program's types at its sizes, but for the parameters, are known.
pub(crate) fn space_of(program: &Program, sizes: &Sizes, typed: &Typed) -> Space {
    let constraints = typed.constraints.iter().map(|(condition, _)| condition.clone());
    let mut space = check::space(&program.function, constraints);
    for (var, range) in &mut space.parameters {
        if let Some(value) = sizes.get(var) {
            space.constraints.push(range.contains(&Nat::constant(value)));
            *range = Tune::List([Nat::constant(value)].into());
        }
    }
    space
}

/// The number of partial choices of `tune` parameters that are looked at before giving up.
const STEPS: usize = 10_000_000;

/// The same number for finding out whether a constraint is one of the reasons that there are no values.
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
    match in_words(open) {
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
