//! Every schedule derives, from programs as users write them, forms that compute the same.

mod common;
mod nests;

use common::{Trial, compare, devices, shapes, values};
use lift::Program;
use lift_core::schedules::{BLOCKED, COMBINED, DIRECT, Schedule};
use nests::{NESTS, placed, points, selections};

/// At least so many points of each program.
const POINTS: usize = 10;

/// What one schedule derives from every program is right, or it says why it does not apply.
fn nests_by(schedule: &Schedule, refused: &[(&str, &str)]) {
    let mut problems = vec![];
    for (program, sizes) in NESTS {
        let program = program();
        let name = program.name();
        let reason = refused.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason);
        let said = schedule.derive(program, &[]).err().map(|refusal| refusal.reason);
        if said.as_deref() != reason {
            problems.push(format!("{name}: {said:?}"));
        }
        let checked = check(program, sizes, schedule, &mut problems);
        if checked < POINTS && said.is_none() {
            problems.push(format!("{name}: {checked} points only"));
        }
    }
    assert!(problems.is_empty(), "{}: {}", schedule.name, problems.join("\n"));
}

/// How many points of a program were checked.
fn check(program: &Program, sizes: &[usize], schedule: &Schedule, problems: &mut Vec<String>) -> usize {
    let random = &mut fastrand::Rng::with_seed(5);
    let trial = Trial::new(program, shapes::named(program, &mut sizes.iter().copied()), (-9.0, 9.0), random);
    let expected = trial.interpret().expect("the sizes fit");
    let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
    let selections = selections(schedule);
    let each = POINTS.div_ceil(selections.len());
    let mut checked = 0;
    for options in selections {
        let Ok(candidate) = schedule.derive(program, &options) else { continue };
        for point in points(&candidate, sizes, each) {
            let program = &placed(&candidate, &point);
            let derived = Trial { program, sizes: trial.sizes.clone(), arguments: trial.arguments.clone() };
            checked += 1;
            for device in devices::all() {
                let got = derived.run_at(device, &point).map_err(|e| e.to_string());
                if let Err(problem) = got.and_then(|got| compare::check(&got, &expected)) {
                    problems
                        .push(format!("{} {options:?} at {point:?} on {device}: {problem}", program.name()));
                }
            }
        }
    }
    checked
}

#[test]
fn direct() {
    let refused = [
        ("fir", "no level of the nest is one of kernels"),
        ("softmax", "there is no reduction inside nested maps"),
    ];
    nests_by(&DIRECT, &refused);
}

#[test]
fn combined() {
    nests_by(&COMBINED, &[]);
}

#[test]
fn blocked() {
    nests_by(&BLOCKED, &[]);
}
