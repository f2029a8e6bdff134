//! Random well-typed programs: the checker accepts most of them; those that it accepts are defined for all sizes
//! that they admit, and lowering, the built-in CPU device and OpenCL keep their meaning.
//!
//! `LIFT_RANDOM_PROGRAMS=n` tries n programs instead of a few, `LIFT_HUNT_SECONDS=t` as many as t seconds are enough for,
//! `LIFT_RANDOM_SEED=s` others.

mod common;
mod generator;

use common::hunt::{all_seeds, budget};
use common::values::{self, Values};
use common::{Trial, compare, devices, shapes};
use lift::target::Target;
use lift_core::primitives;
use lift_core::syntax::Function;
use lift_core::{Program, check, interpret, pipeline};
use std::collections::BTreeMap;

/// Programs for the interpreter, and of these programs for the devices.
const PURE: u64 = 2000;
const ON_DEVICES: u64 = 40;

/// Programs of which kernels are only made.
const KERNELS: u64 = 1000;

/// At least so many in a hundred must be accepted: a checker that refuses all is right about
/// everything and good for nothing.
const ACCEPTED: usize = 60;

/// A program's text of so many characters is worth building.
const INTERESTING: usize = 250;

const ENOUGH: usize = 5;

/// What is said of `ahead`, `rotated` and `mapSeqUnroll` where they can do nothing, at these sizes or at all.
const NO_EFFECT: [&str; 2] = ["has no effect here", "`rotated` cannot keep these windows in registers"];

/// How many programs are tried, if not so many.
const COUNT: &str = "LIFT_RANDOM_PROGRAMS";

/// A program, and the generator for what is drawn for it: each depends on its seed alone.
fn drawn(seed: u64) -> (Function, fastrand::Rng) {
    let mut random = fastrand::Rng::with_seed(seed);
    // Half of them take one kernel, mostly, and half take several.
    let function = if seed.is_multiple_of(2) { generator::function } else { generator::staged };
    (function(&mut random), random)
}

/// Runs `one` for programs from their seeds, and fails with the programs for which it failed, made as
/// small as they go. A panic is such a failure.
fn hunt(
    seeds: impl Iterator<Item = u64>,
    mut one: impl FnMut(&Function, fastrand::Rng) -> Result<(), String>,
) {
    hunt_blocks(
        seeds,
        |seed| {
            let (function, random) = drawn(seed);
            (vec![function], random)
        },
        |functions, random| one(&functions[0], random),
    );
}

/// The same for blocks of functions.
fn hunt_blocks(
    seeds: impl Iterator<Item = u64>,
    drawn: impl Fn(u64) -> (Vec<Function>, fastrand::Rng),
    mut one: impl FnMut(&[Function], fastrand::Rng) -> Result<(), String>,
) {
    let mut failures = vec![];
    for seed in seeds {
        let (functions, random) = drawn(seed);
        let mut attempt = |functions: &[Function]| {
            let attempt = std::panic::AssertUnwindSafe(|| one(functions, random.clone()));
            std::panic::catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
        };
        if attempt(&functions).is_ok() {
            continue;
        }
        let small = generator::shrink(&functions, &mut |f| attempt(f).is_err());
        // Found again, unless it comes and goes.
        let problem = attempt(&small).err().unwrap_or_else(|| "not always".into());
        failures.push(format!("seed {seed}: {problem}\n{}", generator::print::functions(&small)));
        if failures.len() == ENOUGH {
            break;
        }
    }
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
}

#[test]
fn accepted_programs_are_defined_and_lowering_keeps_their_meaning() {
    let (mut accepted, mut refused) = (0, vec![]);
    let mut uses: BTreeMap<&str, usize> = primitives::algorithmic().map(|p| (p.name, 0)).collect();
    hunt(budget(all_seeds(), COUNT, PURE), |function, mut random| {
        let program = match check(std::slice::from_ref(function)) {
            Ok(mut programs) => programs.remove(0),
            Err(mistakes) => {
                let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
                refused.push(format!("{}\n{}", mistakes.join("\n"), generator::print::function(function)));
                return Ok(());
            }
        };
        accepted += 1;
        if std::env::var_os("LIFT_RANDOM_SHOW").is_some() {
            println!("{}\n", generator::print::function(function));
        }
        survives_embedding(&program)?;
        program.function.body.visit(&mut |e| {
            if let lift_core::expr::Kind::Apply(primitive, _) = &*e.kind {
                *uses.entry(primitive.name).or_default() += 1;
            }
        });
        let derived = generator::derived(std::slice::from_ref(function));
        derived.into_iter().for_each(|name| *uses.entry(name).or_default() += 1);
        let largest = vec![generator::LARGEST_SIZE as usize; program.sizes().len()];
        for sizes in shapes::random(&program, &largest, 3, &mut random) {
            let at = sizes.to_string();
            meaning_is_kept(&Trial::exact(&program, sizes, &mut random))
                .map_err(|problem| format!("at {at}: {problem}"))?;
        }
        Ok(())
    });
    if std::env::var_os("LIFT_RANDOM_SHOW").is_some() {
        println!(
            "{}\n\n{accepted} accepted, {} refused, uses: {uses:?}",
            refused.join("\n\n"),
            refused.len()
        );
    }
    println!("hunted: {accepted} programs accepted, {} refused", refused.len());
    let share = accepted * 100 / (accepted + refused.len());
    assert!(share >= ACCEPTED, "{share} % accepted; one that was not:\n{}", refused[0]);
    let rare: Vec<_> = uses.iter().filter(|(_, n)| **n < 10).collect();
    assert!(rare.is_empty() || (accepted as u64) < PURE / 2, "hardly tried: {rare:?}");
}

/// `lift!` embeds a program as text; it must come back as it was.
fn survives_embedding(program: &Program) -> Result<(), String> {
    let text = serde_json::to_string(program).map_err(|e| e.to_string())?;
    let back: Program =
        serde_json::from_str(&text).map_err(|e| format!("does not come back from JSON: {e}"))?;
    // As text: a literal that is NaN is not equal to itself.
    let again = serde_json::to_string(&back).map_err(|e| e.to_string())?;
    if again == text { Ok(()) } else { Err("comes back from JSON as another program".into()) }
}

/// The program has a value, and lowered it has the same.
fn meaning_is_kept(trial: &Trial) -> Result<(), String> {
    let expected = trial.interpret()?;
    let lowered = pipeline::lowered(trial.program, &trial.sizes, &Target::default())
        .map_err(|e| format!("not lowered: {e}"))?;
    let mut facts = check::facts(&lowered);
    trial.sizes.0.iter().for_each(|(var, value)| facts.fix(var, *value));
    let typed = check::infer_inlined(&lowered, &facts)
        .map_err(|e| format!("not well-typed when lowered: {e:?}\n{lowered}"))?;
    let datum = interpret::run(&lowered, &|id| typed.ty(id).cloned(), &trial.sizes.0, &trial.data())
        .map_err(|e| format!("not defined when lowered: {e}\n{lowered}"))?;
    same(&trial.results(&datum)?, &expected).map_err(|problem| format!("{problem}; lowered:\n{lowered}"))
}

/// Every third program uses OpenCL's primitives as well.
#[test]
fn accepted_programs_have_kernels() {
    let drawn = |seed: u64| {
        let mut random = fastrand::Rng::with_seed(seed);
        let functions = match seed % 3 {
            0 => vec![generator::staged(&mut random)],
            1 => vec![generator::function(&mut random)],
            _ => generator::program(&mut random),
        };
        (functions, random)
    };
    let (mut accepted, mut refused) = (0, 0);
    hunt_blocks(budget(all_seeds(), COUNT, KERNELS), drawn, |functions, mut random| {
        let Ok(mut programs) = check(functions) else {
            refused += 1;
            return Ok(());
        };
        accepted += 1;
        let program = programs.pop().ok_or("no program")?;
        let largest = vec![generator::LARGEST_SIZE as usize; program.sizes().len()];
        for sizes in shapes::random(&program, &largest, 2, &mut random) {
            // A primitive that has no effect where it stands is refused on purpose, with the reason.
            let on_purpose = |said: &str| NO_EFFECT.iter().any(|reason| said.contains(reason));
            match pipeline::compile(&program, &sizes, &Target::default()) {
                Err(e) if !on_purpose(&e.to_string()) => return Err(format!("at {sizes}: {e}")),
                _ => {}
            }
        }
        Ok(())
    });
    println!("hunted: {accepted} programs have kernels, {refused} were refused");
    assert!(accepted > refused, "{accepted} accepted, {refused} refused");
}

#[test]
fn devices_agree_with_the_interpreter() {
    // The smallest programs say little, and building one takes long.
    let interesting = |seed: &u64| generator::print::function(&drawn(*seed).0).len() >= INTERESTING;
    let mut ran = 0;
    hunt(budget(all_seeds().filter(interesting), COUNT, ON_DEVICES), |function, mut random| {
        let Ok(programs) = check(std::slice::from_ref(function)) else { return Ok(()) };
        ran += 1;
        let largest = vec![generator::LARGEST_SIZE as usize; programs[0].sizes().len()];
        let shape =
            shapes::random(&programs[0], &largest, 2, &mut random).pop().expect("a program admits some size");
        let trial = Trial::exact(&programs[0], shape, &mut random);
        let expected = trial.interpret()?;
        for device in devices::all() {
            let results = trial.run(device).map_err(|e| format!("at {} on {device}: {e}", trial.sizes))?;
            same(&results, &expected).map_err(|e| format!("at {} on {device}: {e}", trial.sizes))?;
        }
        Ok(())
    });
    println!("hunted: {ran} programs on {} devices", devices::all().len());
}

/// Equal integers, and floats as near as they should be.
fn same(got: &[Values], expected: &[Values]) -> Result<(), String> {
    for (g, e) in got.iter().flatten().zip(expected.iter().flatten()) {
        if g.scalar() != e.scalar() || (!g.scalar().is_float() && g != e) {
            return Err(format!("{g:?} instead of {e:?}"));
        }
    }
    compare::check(got, &expected.iter().map(values::to_f64).collect::<Vec<_>>())
}
