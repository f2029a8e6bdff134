//! What the checker accepts has a value at all sizes that it admits: random programs, and random programs with
//! a slip in them, evaluated by an interpreter that compares every value with its type.
//!
//! `LIFT_SOUNDNESS=n` tries n programs of each kind instead of a few, `LIFT_HUNT_SECONDS=t` as many as t seconds are
//! enough for, `LIFT_RANDOM_SEED=s` others.

mod common;
mod generator;

use common::hunt::{all_seeds, budget};
use common::{Trial, shapes};
use lift_core::expr::Kind;
use lift_core::nat::Var;
use lift_core::syntax::Function;
use lift_core::{Program, Sizes, check, interpret, primitives, tune};
use std::collections::BTreeMap;

/// Programs of each kind.
const PROGRAMS: u64 = 1500;

/// Sizes are tried up to this, so many of them for each program.
const LARGEST: usize = 7;
const SHAPES: usize = 4;

/// Values with more scalars are not computed.
const MOST: i64 = 3000;

const ENOUGH: usize = 5;

/// Among so many programs every primitive occurs.
const FEW: usize = 4000;

/// What became of a program.
enum Verdict {
    Refused,
    /// Accepted, and evaluated at so many sizes.
    Accepted(Program, usize),
}

/// Asks the checker, and where it accepts, evaluates.
fn judged(functions: &[Function], mut random: fastrand::Rng) -> Result<Verdict, String> {
    let Ok(mut programs) = check(functions) else { return Ok(Verdict::Refused) };
    let program = programs.pop().ok_or("no program")?;
    let largest = vec![LARGEST; program.sizes().len()];
    let mut evaluated = 0;
    for sizes in shapes::random(&program, &largest, SHAPES, &mut random) {
        let at = sizes.to_string();
        evaluated +=
            usize::from(is_defined(&program, sizes, &mut random).map_err(|e| format!("at {at}: {e}"))?);
    }
    Ok(Verdict::Accepted(program, evaluated))
}

/// Has the program a value at these sizes, all of it of the types that the checker found? `false`: it is too large
/// to say.
fn is_defined(program: &Program, sizes: Sizes, random: &mut fastrand::Rng) -> Result<bool, String> {
    let sizes = tune::choose::tuned(program, &sizes).map_err(|e| e.to_string())?;
    let mut facts = check::facts(&program.function);
    let symbolic = check::infer_inlined(&program.function, &facts);
    sizes.0.iter().for_each(|(var, value)| facts.fix(var, *value));
    // With numbers for its sizes it is well-typed all the more.
    let numeric = check::infer_inlined(&program.function, &facts).map_err(|all| {
        all.iter().map(|d| format!("accepted, then refused: {d}")).collect::<Vec<_>>().join("\n")
    })?;
    let typed = symbolic.unwrap_or(numeric);
    let value = |v: &Var| sizes.get(v);
    if typed.types.values().any(|ty| ty.scalars().eval(&value).is_ok_and(|n| n > MOST)) {
        return Ok(false);
    }
    let trial = Trial::new(program, sizes.clone(), (-9.0, 9.0), random);
    interpret::run_strictly(&program.function, &|id| typed.ty(id).cloned(), &sizes.0, &trial.data())
        .map_err(|e| e.to_string())?;
    Ok(true)
}

/// Judges the programs of all seeds; fails with those that were accepted and have no value, made as small as
/// they go.
fn hunt(what: &str, program: impl Fn(&mut fastrand::Rng) -> Vec<Function>) {
    let mut uses: BTreeMap<&str, usize> = primitives::all().map(|p| (p.name, 0)).collect();
    let (mut accepted, mut refused, mut evaluated, mut failures) = (0, 0, 0, vec![]);
    for seed in budget(all_seeds(), "LIFT_SOUNDNESS", PROGRAMS) {
        let mut random = fastrand::Rng::with_seed(seed);
        let functions = program(&mut random);
        let attempt = |functions: &[Function]| {
            let attempt = std::panic::AssertUnwindSafe(|| judged(functions, random.clone()));
            std::panic::catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
        };
        match attempt(&functions) {
            Ok(Verdict::Refused) => refused += 1,
            Ok(Verdict::Accepted(program, times)) => {
                accepted += 1;
                evaluated += times;
                program.function.body.visit(&mut |e| {
                    if let Kind::Apply(primitive, _) = &*e.kind {
                        *uses.entry(primitive.name).or_default() += 1;
                    }
                });
                let derived = generator::derived(&functions);
                derived.into_iter().for_each(|name| *uses.entry(name).or_default() += 1);
            }
            Err(_) => {
                let small = generator::shrink(&functions, &mut |f| attempt(f).is_err());
                let problem = attempt(&small).err().unwrap_or_else(|| "not always".into());
                failures.push(format!("seed {seed}: {problem}\n{}", generator::print::functions(&small)));
            }
        }
        if failures.len() == ENOUGH {
            break;
        }
    }
    println!(
        "hunted: {what}, {accepted} accepted and evaluated {evaluated} times, {refused} refused, {uses:?}"
    );
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
    assert!(accepted * 20 >= refused && evaluated >= accepted, "{accepted} accepted, {refused} refused");
    assert!(accepted < FEW || uses.values().all(|n| *n > 0), "hardly tried: {uses:?}");
}

#[test]
fn accepted_programs_are_defined() {
    hunt("programs", generator::program);
}

#[test]
fn accepted_slips_are_defined() {
    hunt("slips", |random| {
        // A slip in a program that is right.
        let right = std::iter::repeat_with(|| generator::program(random)).find(|p| check(p).is_ok());
        generator::corrupted(&right.unwrap_or_default(), random)
    });
}
