//! Programs that place their maps themselves, generated as written: every device gives what the
//! interpreter does.

mod by_hand;
mod common;

use by_hand::Placed;
use common::{Trial, compare, devices, shapes, values};

fn check(family: &[Placed]) {
    let random = &mut fastrand::Rng::with_seed(31);
    for Placed { program, points } in family {
        let program = program();
        for point in *points {
            let sizes = shapes::named(program, &mut point.iter().copied());
            let trial = Trial::new(program, sizes, (-9.0, 9.0), random);
            let expected = trial.interpret().expect("the point fits");
            let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
            for device in devices::all() {
                let got = trial.run_at(device, point).unwrap_or_else(|e| panic!("{}: {e}", program.name()));
                if let Err(problem) = compare::check(&got, &expected) {
                    panic!("{} at {point:?} on {device}: {problem}", program.name());
                }
            }
        }
    }
}

#[test]
fn convolutions_of_the_papers() {
    check(by_hand::CONVOLUTIONS);
}

#[test]
fn local_memory() {
    check(by_hand::LOCAL_MEMORY);
}

#[test]
fn vectors_and_registers() {
    check(by_hand::REGISTERS);
}
