//! A derivation is data: replayed, it leads to the same program, and every program on its way is well-typed
//! and has the value of the first.

mod common;
mod nests;

use common::{Trial, shapes};
use lift_core::expr::Function;
use lift_core::interpret::{self, Datum};
use lift_core::schedules::{Candidate, SCHEDULES, Schedule};
use lift_core::strategy::{State, replay};
use lift_core::{Program, Sizes, check, pipeline};
use nests::NESTS;

/// So many values of the parameters are tried for some that fit.
const ATTEMPTS: usize = 300;

#[test]
fn derivations_can_be_replayed_and_keep_the_meaning() {
    let mut random = fastrand::Rng::with_seed(3);
    for schedule in SCHEDULES {
        let mut steps = 0;
        for (program, sizes) in NESTS {
            let all: Vec<&str> = schedule.options.iter().map(|(name, _)| *name).collect();
            for options in [&[][..], &all] {
                let Ok(candidate) = schedule.derive(program(), options) else { continue };
                let what = format!("{} by {} {options:?}", program().name(), schedule.name);
                steps += replayed(&candidate, schedule, sizes, &mut random)
                    .unwrap_or_else(|problem| panic!("{what}: {problem}"));
            }
        }
        println!("{}: {steps} steps", schedule.name);
        assert!(steps > 0, "`{}` applies to nothing", schedule.name);
    }
}

/// So many steps lead to the same program, each to one of the same value.
fn replayed(
    candidate: &Candidate,
    schedule: &Schedule,
    sizes: &[usize],
    random: &mut fastrand::Rng,
) -> Result<usize, String> {
    let start = State::new(&candidate.start);
    let end = replay(&start, &candidate.steps).map_err(|e| e.to_string())?;
    if *end.function != candidate.program.function {
        return Err(format!("replayed, it is\n{}instead of\n{}", end.function, candidate.program.function));
    }
    let sizes = parameters(&candidate.program, schedule, sizes, random)?;
    let trial = Trial::exact(&candidate.program, sizes, random);
    let expected = value(&start.function, &trial)?;
    let mut state = start;
    for (k, step) in candidate.steps.iter().enumerate() {
        state = replay(&state, std::slice::from_ref(step)).map_err(|e| format!("step {k}, {step}: {e}"))?;
        let found = value(&state.function, &trial)
            .map_err(|e| format!("step {k}, {step}, at {}: {e}\n{}", trial.sizes, state.function))?;
        // Small whole numbers: exact in any order.
        if found.scalars() != expected.scalars() {
            return Err(format!(
                "step {k}, {step}, at {} changes the value\n{}",
                trial.sizes, state.function
            ));
        }
    }
    Ok(candidate.steps.len())
}

fn value(function: &Function, trial: &Trial) -> Result<Datum, String> {
    let mut facts = check::facts(function);
    trial.sizes.0.iter().for_each(|(var, value)| facts.fix(var, *value));
    let typed = check::infer_inlined(function, &facts)
        .map_err(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let types = |id| typed.ty(id).cloned();
    interpret::run(function, &types, &trial.sizes.0, &trial.data()).map_err(|e| e.to_string())
}

/// These sizes, and values of the schedule's parameters that fit them: the largest of some.
fn parameters(
    program: &Program,
    schedule: &Schedule,
    sizes: &[usize],
    random: &mut fastrand::Rng,
) -> Result<Sizes, String> {
    let given = Sizes(shapes::named(program, &mut sizes.iter().copied().chain(std::iter::repeat(1))).0);
    let given = Sizes(given.0.into_iter().take(sizes.len()).collect());
    let space = pipeline::space(program, &given).map_err(|e| e.to_string())?;
    let mut best: Option<(i64, Sizes)> = None;
    for _ in 0..ATTEMPTS {
        let mut point = given.clone();
        for (size, parameter) in program.sizes()[sizes.len()..].iter().zip(schedule.parameters) {
            point.0.push((size.var.clone(), parameter.values[random.usize(0..parameter.values.len())]));
        }
        let fits = space.constraints.iter().all(|c| c.eval(&|v| point.get(v)) == Ok(true));
        let volume = point.0.iter().map(|(_, n)| n).product();
        if fits && best.as_ref().is_none_or(|(most, _)| volume > *most) {
            best = Some((volume, point));
        }
    }
    best.map(|(_, point)| point).ok_or_else(|| "no parameters fit".into())
}
