//! Programs that place their maps themselves, generated as written: every device gives what the
//! interpreter does.

mod by_hand;
mod common;

use by_hand::Placed;
use common::{Trial, compare, devices, shapes, values};
use lift::prelude::*;

lift! {
    /// Of eight work-items each keeps what it has computed; the first would read what all keep.
    pub fn reads_all<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |x| x, generate(8, |i| if i < 1 { reduce(0.0, |a, x| a + x, kept) } else { 0.0 }))
        }, xs)
    }
    /// The first would read what the fourth keeps.
    pub fn reads_another<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |x| x, generate(8, |i| if i < 1 { reduce(0.0, |a, x| a + x, take(1, drop(3, kept))) } else { 0.0 }))
        }, xs)
    }
    /// Each would read what its neighbours keep.
    pub fn reads_neighbours<N>(xs: [[f32; 8]; N]) -> [[f32; 8]; N] {
        mapWrg(0, |row| {
            let kept = toItems(mapLcl(0, |x| x * 2.0, row));
            mapLcl(0, |window| reduce(0.0, |a, x| a + x, window), slide(3, 1, pad(1, 1, 0.0, kept)))
        }, xs)
    }
}

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

/// Registers of another work-item can't be read: whoever would is told so.
#[test]
fn what_another_keeps_is_out_of_reach() {
    for program in [reads_all::program(), reads_another::program(), reads_neighbours::program()] {
        let sizes = shapes::named(program, &mut [4].into_iter());
        let refused = lift_core::compile(program, &sizes).map(|plan| plan.opencl());
        let message = refused.expect_err(program.name()).to_string();
        assert!(message.contains("what another keeps of `kept`"), "{message}");
    }
}
