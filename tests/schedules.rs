//! Every schedule derives, from programs as users write them, forms that compute the same.

mod common;
mod nests;

use common::{Trial, compare, devices, shapes, values};
use lift::Program;
use lift_core::schedules::{SCHEDULES, Schedule};
use nests::{NESTS, points, selections};

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
