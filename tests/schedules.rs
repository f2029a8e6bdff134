//! Every schedule derives, from programs as users write them, forms that compute the same.

mod common;
mod nests;

use common::{Trial, compare, devices, shapes, values};
use lift::{Program, Sizes};
use lift_core::schedules::{Candidate, SCHEDULES, Schedule};
use nests::NESTS;

/// All selections of a schedule's options.
fn selections(schedule: &Schedule) -> Vec<Vec<&'static str>> {
    schedule.options.iter().fold(vec![vec![]], |all, (name, _)| {
        let with = all.iter().map(|some| [&some[..], &[*name]].concat());
        with.chain(all.iter().cloned()).collect()
    })
}

/// Values of the parameters that fit these sizes, at most so many.
fn points(candidate: &Candidate, schedule: &Schedule, sizes: &[usize], most: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![sizes.to_vec()];
    for parameter in schedule.parameters {
        all = all
            .iter()
            .flat_map(|p| parameter.values.iter().map(|v| [&p[..], &[*v as usize]].concat()))
            .collect();
    }
    let given = shapes::named(&candidate.program, &mut sizes.iter().copied().chain(std::iter::repeat(1)));
    let given = Sizes(given.0.into_iter().take(sizes.len()).collect());
    let space = lift_core::pipeline::space(&candidate.program, &given).expect("the sizes fit");
    let fits = |point: &Vec<usize>| {
        let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
        space.constraints.iter().all(|c| c.eval(&|v| sizes.get(v)) == Ok(true))
    };
    all.retain(fits);
    fastrand::Rng::with_seed(7).shuffle(&mut all);
    all.truncate(most);
    all
}

fn check(program: &Program, sizes: &[usize], schedule: &Schedule, most: usize) -> usize {
    let random = &mut fastrand::Rng::with_seed(5);
    let trial = Trial::new(program, shapes::named(program, &mut sizes.iter().copied()), (-9.0, 9.0), random);
    let expected = trial.interpret().expect("the sizes fit");
    let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
    let mut checked = 0;
    for options in selections(schedule) {
        let Ok(candidate) = schedule.derive(program, &options) else { continue };
        let derived = Trial {
            program: &candidate.program,
            sizes: trial.sizes.clone(),
            arguments: trial.arguments.clone(),
        };
        for point in points(&candidate, schedule, sizes, most) {
            for device in devices::all() {
                let what = || {
                    format!("{} by {} {options:?} at {point:?} on {device}", program.name(), schedule.name)
                };
                let got = derived.run_at(device, &point).unwrap_or_else(|e| panic!("{}: {e}", what()));
                if let Err(problem) = compare::check(&got, &expected) {
                    panic!("{}: {problem}", what());
                }
                checked += 1;
            }
        }
    }
    checked
}

/// Which schedules apply, and that what they derive is right.
#[test]
fn nests_by_every_schedule() {
    let mut applied = String::new();
    for (program, sizes) in NESTS {
        let names = SCHEDULES.iter().filter(|s| check(program(), sizes, s, 3) > 0).map(|s| s.name);
        applied += &format!("{}: {}\n", program().name(), names.collect::<Vec<_>>().join(", "));
    }
    assert_eq!(
        applied,
        "nhwc: combined, blocked\n\
         relu_outside: combined, blocked\n\
         relu_inside_batch: combined, blocked\n\
         nchw: combined, blocked\n\
         product: combined, blocked\n\
         depthwise: combined\n\
         one_by_one: combined, blocked\n"
    );
}
