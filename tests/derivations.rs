//! A derivation is data: replayed, it leads to the same program, and every program on its way is well-typed
//! and has the value of the first.

mod common;
mod nests;

use common::{Trial, compare, hunt, shapes, values};
use lift_core::check::Typed;
use lift_core::datum::Datum;
use lift_core::expr::Function;
use lift_core::interpret;
use lift_core::schedules::{Candidate, SCHEDULES, Schedule};
use lift_core::strategy::{State, replay};
use lift_core::{Sizes, check};
use nests::{FRAMED, NESTS, Nest, TURNED, points, selections};

/// So many values of the parameters are tried for some that fit.
const ATTEMPTS: usize = 4;

/// Of so many programs in a row one is looked at: that every rule keeps types and values, tests/rules.rs tries.
const TOGETHER: usize = 16;

/// From the options of one program to those of the next: a number that shares no factor with those of selections.
const TURN: usize = 5;

/// Of so many programs one in the everyday tests; `scripts/hunt` takes them all.
const PROGRAMS: usize = 3;

/// By a schedule, of some programs with other options each.
fn derivations_by(schedule: &Schedule) {
    let mut steps = 0;
    // Schedules begin at different programs.
    for (k, nest) in nests().enumerate().skip(schedule.parameters.len() % PROGRAMS).step_by(PROGRAMS) {
        steps += derivation(schedule, nest, k, 3);
    }
    println!("{}: {steps} steps", schedule.name);
    assert!(steps > 0, "`{}` applies to nothing", schedule.name);
}

fn nests() -> impl Iterator<Item = &'static Nest> {
    NESTS.iter().chain(TURNED).chain(FRAMED)
}

/// How many steps one has that is right.
fn derivation(schedule: &Schedule, (program, sizes): &Nest, turn: usize, seed: u64) -> usize {
    let all = selections(schedule);
    let in_turn = all.iter().cycle().skip(TURN * turn % all.len()).take(all.len());
    let derived = in_turn.map(|options| schedule.derive(program(), options)).find_map(Result::ok);
    let Some(candidate) = derived else { return 0 };
    let what = format!("{} by {} {:?}, seed {seed}", program().name(), schedule.name, candidate.options);
    let steps = replayed(&candidate, sizes, &mut fastrand::Rng::with_seed(seed));
    steps.unwrap_or_else(|problem| panic!("{what}: {problem}"))
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn of_all_programs() {
    let all: Vec<(&Schedule, &Nest)> =
        SCHEDULES.iter().flat_map(|schedule| nests().map(move |nest| (*schedule, nest))).collect();
    let mut steps = 0;
    for (case, seed) in hunt::turns(all.len()) {
        let (schedule, nest) = all[case];
        steps += derivation(schedule, nest, usize::try_from(seed / all.len() as u64).unwrap_or(0), seed);
    }
    println!("hunted: {steps} steps of derivations");
}

macro_rules! replayed_and_of_the_same_meaning {
    ($($schedule:ident)*) => {
        $(#[test]
        fn $schedule() {
            derivations_by(Schedule::named(stringify!($schedule)).expect("a schedule"));
        })*

        #[test]
        fn every_schedule_is_looked_at() {
            let all: Vec<&str> = SCHEDULES.iter().map(|schedule| schedule.name).collect();
            assert_eq!(all, [$(stringify!($schedule)),*]);
        }
    };
}

replayed_and_of_the_same_meaning!(direct mapped combined tiled blocked dots rows chunks scans lanes turned framed);

lift::lift! {
    /// Where the first of them is reached, 4 is the length of `xs`.
    pub fn four_zeros<N>(xs: [f32; N]) -> [f32; N] {
        if N == 4 { repeat(4, 0.0) } else { xs }
    }
}

/// Which of two lengths an `if` has follows from its condition.
#[test]
fn what_types_alone_do_not_say_is_proved() {
    let state = State::new(&four_zeros::program().function);
    assert!(check::types_alone(&state.function).is_none());
    let found = state.typed().and_then(|typed| typed.ty(state.function.body.id)).expect("it is proved");
    assert_eq!(*found, state.function.result);
}

/// So many steps lead to the same program, each to one of the same value; none where no parameters fit the sizes.
fn replayed(candidate: &Candidate, sizes: &[usize], random: &mut fastrand::Rng) -> Result<usize, String> {
    let start = State::new(&candidate.start);
    let end = replay(&start, &candidate.steps).map_err(|e| e.to_string())?;
    if *end.function != candidate.program.function {
        return Err(format!("replayed, it is\n{}instead of\n{}", end.function, candidate.program.function));
    }
    let Some(sizes) = parameters(candidate, sizes) else { return Ok(0) };
    let trial = Trial::exact(&candidate.program, sizes, random);
    let expected = value(&start.function, &typed(&start.function, &trial)?, &trial)?;
    let mut state = start;
    for (k, step) in candidate.steps.iter().enumerate() {
        state = replay(&state, std::slice::from_ref(step)).map_err(|e| format!("step {k}, {step}: {e}"))?;
        if k % TOGETHER > 0 && k + 1 < candidate.steps.len() {
            continue;
        }
        let what =
            |problem: String| format!("step {k}, {step}, at {}: {problem}\n{}", trial.sizes, state.function);
        types_alone_are_the_same(&state).map_err(what)?;
        let types = typed(&state.function, &trial).map_err(what)?;
        let value = value(&state.function, &types, &trial).map_err(what)?;
        same(&value, &expected, &trial).map_err(what)?;
    }
    Ok(candidate.steps.len())
}

/// On the way of a derivation types are found without a look at conditions. With a proof of each they are the same.
fn types_alone_are_the_same(state: &State) -> Result<(), String> {
    let proved = check::infer_derived(&state.function, state.facts());
    let proved =
        proved.map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let alone = check::types_alone(&state.function).ok_or("types alone are not found")?;
    match alone.types == proved.types && alone.bindings == proved.bindings {
        true => Ok(()),
        false => Err("types alone are others".into()),
    }
}

/// Arguments are small whole numbers: while results are whole too, they are exact in any order.
fn same(value: &Datum, expected: &Datum, trial: &Trial) -> Result<(), String> {
    if value.scalars() == expected.scalars() {
        return Ok(());
    }
    let wanted: Vec<_> = trial.results(expected)?.iter().map(values::to_f64).collect();
    if wanted.iter().flatten().all(|x| x.fract() == 0.0) {
        return Err(format!("{value:?} instead of {expected:?}"));
    }
    compare::check(&trial.results(value)?, &wanted)
}

fn typed(function: &Function, trial: &Trial) -> Result<Typed, String> {
    let mut facts = check::facts(function);
    trial.sizes.0.iter().for_each(|(var, value)| facts.fix(var, *value));
    check::infer_inlined(function, &facts)
        .map_err(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn value(function: &Function, typed: &Typed, trial: &Trial) -> Result<Datum, String> {
    let types = |id| typed.ty(id).cloned();
    interpret::run(function, &types, &trial.sizes.0, &trial.data()).map_err(|e| e.to_string())
}

/// These sizes, and values of the parameters that fit them: the largest of some.
fn parameters(candidate: &Candidate, sizes: &[usize]) -> Option<Sizes> {
    let largest =
        points(candidate, sizes, ATTEMPTS).into_iter().max_by_key(|p| p.iter().product::<usize>())?;
    Some(shapes::named(&candidate.program, &mut largest.into_iter()))
}
