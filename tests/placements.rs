//! The solver places the maps of programs: exactly where an independent check allows it, and
//! whatever it says generates code and computes what the program means.
//!
//! `LIFT_PLACEMENTS=all cargo test --test placements --test oclgrind` runs every placement on every
//! device and under oclgrind; else it is a few.

mod common;
mod unplaced;

use common::{Trial, compare, devices, shapes, values};
use lift_core::constraints::{Limits, Placement, Placements, place};
use lift_core::{Sizes, compile};
use std::collections::BTreeSet;
use unplaced::{CODES, NESTS, Nest};

impl Nest {
    fn sizes(&self) -> Sizes {
        shapes::named((self.program)(), &mut self.sizes.iter().copied())
    }

    fn placements(&self) -> Placements {
        Placements::of((self.program)(), &self.sizes(), Some(Limits::default()), false).expect("it is placed")
    }
}

fn codes(placement: &Placement) -> Vec<i64> {
    placement.maps.iter().map(|(_, code)| code.0).collect()
}

/// Every choice of codes for so many maps.
fn every(maps: usize) -> impl Iterator<Item = Vec<i64>> {
    (0..CODES.len().pow(maps as u32))
        .map(move |k| (0..maps).rev().map(|m| CODES[k / CODES.len().pow(m as u32) % CODES.len()]).collect())
}

#[test]
fn the_solver_finds_what_is_valid_and_nothing_else() {
    for nest in NESTS {
        let placements = nest.placements();
        let name = (nest.program)().name();
        assert_eq!(placements.free(), nest.maps.len(), "{name}: {:?}", placements.nest);
        let found: BTreeSet<Vec<i64>> = placements.all().map(|p| codes(&p)).collect();
        let valid: BTreeSet<Vec<i64>> = every(nest.maps.len()).filter(|c| nest.allows(c)).collect();
        println!("{name}: {} of {}", valid.len(), CODES.len().pow(nest.maps.len() as u32));
        let (more, fewer): (Vec<_>, Vec<_>) =
            (found.difference(&valid).collect(), valid.difference(&found).collect());
        assert!(
            more.is_empty() && fewer.is_empty(),
            "{name}: {more:?} are no placements, {fewer:?} are missing"
        );
        assert_eq!(placements.count(), found.len() as u64, "{name}");
    }
}

#[test]
fn every_placement_generates() {
    for nest in NESTS {
        let (placements, sizes) = (nest.placements(), nest.sizes());
        for placement in placements.all() {
            let program = place(&placements, &placement);
            let plan = compile(&program, &sizes);
            assert!(
                plan.is_ok(),
                "{} at {placement}: {}\n{}",
                program.name(),
                plan.unwrap_err(),
                program.function
            );
        }
    }
}

#[test]
fn placements_are_correct() {
    let few = if std::env::var_os("LIFT_PLACEMENTS").is_some() { usize::MAX } else { 3 };
    for nest in NESTS {
        let placements = nest.placements();
        let random = &mut fastrand::Rng::with_seed(3);
        for placement in placements.sample(5).take(few) {
            let program = place(&placements, &placement);
            let trial = Trial::new(&program, nest.sizes(), (-2.0, 2.0), random);
            let meant =
                Trial { program: (nest.program)(), sizes: nest.sizes(), arguments: trial.arguments.clone() };
            let expected: Vec<_> = meant.interpret().expect("it fits").iter().map(values::to_f64).collect();
            for device in devices::all() {
                let got = trial.run_at(device, nest.sizes);
                let got =
                    got.unwrap_or_else(|e| panic!("{} at {placement} on {device}: {e}", program.name()));
                let verdict = compare::check(&got, &expected);
                assert_eq!(
                    verdict,
                    Ok(()),
                    "{} at {placement} on {device}:\n{}",
                    program.name(),
                    program.function
                );
            }
        }
    }
}

#[test]
fn what_is_not_valid_is_refused_for_a_reason() {
    for nest in NESTS {
        let placements = nest.placements();
        let some = every(nest.maps.len()).enumerate().filter(|(k, c)| k % 97 == 0 && !nest.allows(c));
        for (_, codes) in some {
            let maps = placements.nest.maps.iter().zip(&codes);
            let maps = maps.map(|(map, code)| (map.id, lift_core::constraints::Code(*code))).collect();
            let broken = placements.broken(&Placement { maps, parameters: vec![] }).len();
            assert!(broken > 0, "{}: nothing is said against {codes:?}", (nest.program)().name());
        }
    }
}
