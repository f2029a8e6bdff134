//! The solver places the maps of programs: exactly where an independent check allows it, and
//! whatever it says generates code and computes what the program means.
//!
//! `tests/oclgrind.rs` runs every placement in a simulator. Here it is a few on every device, all of them with
//! `LIFT_PLACEMENTS=all cargo test --test placements`, and as many as there is time for with `LIFT_HUNT_SECONDS=t`.

mod common;
mod unplaced;

use common::hunt::{deadline, number};
use common::{Trial, compare, devices, shapes, values};
use lift::prelude::*;
use lift::target::Target;
use lift_core::constraints::{Code, Limits, Placement, Placements, place};
use lift_core::{Sizes, compile};
use std::collections::BTreeSet;
use std::time::Instant;
use unplaced::{CODES, LARGE, NESTS, Nest};

impl Nest {
    fn sizes(&self) -> Sizes {
        shapes::named((self.program)(), &mut self.sizes.iter().copied())
    }

    fn placements(&self) -> Placements {
        Placements::of((self.program)(), &self.sizes(), Some(Limits::default()), false).expect("it is placed")
    }
}

impl Nest {
    /// The rules that speak against a placement.
    fn broken(&self, codes: &[i64]) -> Vec<&'static str> {
        let placements = self.placements();
        let maps = placements.nest.maps.iter().zip(codes).map(|(map, code)| (map.id, Code(*code))).collect();
        let broken = placements.broken(&Placement { maps, parameters: vec![] });
        broken.into_iter().map(|c| c.rule.name).collect()
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

/// Where there are too many to try: what the solver finds is valid, and so is no neighbour of it that
/// it does not find.
#[test]
fn the_solver_finds_what_is_around_what_it_finds() {
    for nest in LARGE {
        let found: BTreeSet<Vec<i64>> = nest.placements().all().map(|p| codes(&p)).collect();
        println!("{}: {}", (nest.program)().name(), found.len());
        assert!(!found.is_empty());
        for codes in &found {
            assert!(nest.allows(codes), "{codes:?}");
            for (m, code) in (0..codes.len()).flat_map(|m| CODES.map(|code| (m, code))) {
                let mut near = codes.clone();
                near[m] = code;
                assert_eq!(nest.allows(&near), found.contains(&near), "{near:?}");
            }
        }
    }
}

#[test]
fn every_placement_generates() {
    for nest in NESTS.iter().chain(LARGE) {
        let (placements, sizes) = (nest.placements(), nest.sizes());
        for placement in placements.all() {
            let program = place(&placements, &placement);
            let plan = compile(&program, &sizes, &Target::default());
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
    let all = deadline(1).is_some() || std::env::var_os("LIFT_PLACEMENTS").is_some();
    let few = if all { usize::MAX } else { 3 };
    let mut tried = 0;
    for nest in NESTS.iter().chain(LARGE) {
        let placements = nest.placements();
        let until = deadline((NESTS.len() + LARGE.len()) as u32);
        let in_time = || until.is_none_or(|until| Instant::now() < until);
        let seed = number("LIFT_RANDOM_SEED", 5);
        let random = &mut fastrand::Rng::with_seed(seed);
        for placement in placements.sample(seed).take(few).take_while(|_| in_time()) {
            tried += 1;
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
    println!("hunted: {tried} placements on {} devices", devices::all().len());
}

#[test]
fn what_is_not_valid_is_refused_for_a_reason() {
    for nest in NESTS {
        let some = every(nest.maps.len()).enumerate().filter(|(k, c)| k % 97 == 0 && !nest.allows(c));
        for (_, codes) in some {
            assert!(
                !nest.broken(&codes).is_empty(),
                "{}: nothing is said against {codes:?}",
                (nest.program)().name()
            );
        }
    }
}

/// Placements that are wrong in one way, and the rule that says so.
#[test]
fn the_reason_is_named() {
    let cases: &[(&str, &[i64], &str)] = &[
        // CC'22 §4.3's example: local memory, but no groups.
        ("listing3_local", &[31, 30, 0, 30], "local scoping"),
        // The groups are inside.
        ("listing3_local", &[0, 20, 10, 20], "local scoping"),
        ("listing3_private", &[20, 0, 10, 0], "private scoping"),
        // Table 1, M2: nobody can wait for all work-items.
        ("listing3_global", &[30, 31, 0, 31], "synchronisability"),
        ("convolution", &[20, 10, 0, 0], "exhaustive indexing"),
        ("convolution", &[20, 10, 10, 10], "duplicate scheduling"),
        ("convolution", &[20, 1, 10, 0], "fusion of perfect nests"),
        ("product", &[30, 30, 0, 0], "duplicate scheduling"),
        ("product", &[20, 0, 0, 0], "local and group dimensions"),
        ("product", &[10, 20, 0, 0], "hierarchy"),
        ("product", &[30, 20, 10, 0], "global apart from group and local"),
        ("stencil", &[30, 0, 20, 11], "local and group dimensions"),
        ("softmax", &[0, 30, 0], "local scoping"),
    ];
    for (name, codes, rule) in cases {
        let nest = NESTS.iter().find(|n| (n.program)().name() == *name).expect("it is among them");
        assert!(!nest.allows(codes), "{name} {codes:?}");
        let broken = nest.broken(codes);
        assert!(broken.contains(rule), "{name} {codes:?}: {broken:?}");
    }
}

/// Nothing fits where a group has 8 bytes of local memory: the rule that says so, and no other.
#[test]
fn why_there_is_no_placement() {
    let nest = &NESTS[0];
    let limits = Limits { local: 8, ..Limits::default() };
    let placements =
        Placements::of((nest.program)(), &nest.sizes(), Some(limits), false).expect("it is placed");
    assert_eq!(placements.count(), 0);
    let reason = placements.reason().expect("there is none").to_string();
    assert_eq!(
        reason,
        "the maps of this program cannot be placed\n\
         = note: local memory (OpenCL 1.2 §4.2, CL_DEVICE_LOCAL_MEM_SIZE): otherwise a work-group uses more than 8 bytes of local memory"
    );
    assert!(nest.placements().reason().is_none());
}

/// Parameters and places are chosen together: what a group has room for depends on both.
#[test]
fn parameters_belong_to_the_placement() {
    let placements = |group| of_tiles(Limits { group, ..Limits::default() });
    let (all, few) = (placements(1024), placements(4));
    assert!(few.count() < all.count());
    let sizes =
        |p: &Placement| shapes::named(tiled::program(), &mut [2, p.parameters[0].1 as usize].into_iter());
    for placement in few.all() {
        let program = place(&few, &placement);
        let plan = compile(&program, &sizes(&placement), &Target::default())
            .unwrap_or_else(|e| panic!("{placement}: {e}"));
        let most = plan.launches.iter().filter_map(|l| l.group).map(|g| g.iter().product::<usize>()).max();
        assert!(most.unwrap_or(1) <= 4, "{placement}: {most:?}");
    }
    let large = all.all().filter(|p| codes(p).contains(&10) && p.parameters[0].1 > 4).count();
    assert!(large > 0);
}

/// Along its last dimension a group has often fewer work-items than in all.
#[test]
fn sides_of_groups_have_limits_of_their_own() {
    let longest = |placements: &Placements, dimension: i64| {
        let there = placements.all().filter(|p| codes(p).contains(&(10 + dimension)));
        there.map(|p| p.parameters[0].1).max()
    };
    let placements = of_tiles(Limits { sides: [1024, 1024, 4], ..Limits::default() });
    // 12 tiles of 2, or 2 tiles of 12: the inner map takes no more than the limit.
    assert_eq!(longest(&placements, 2), Some(4));
    assert_eq!(longest(&placements, 1), Some(12));
}

/// Of 24 elements in tiles.
fn of_tiles(limits: Limits) -> Placements {
    let sizes = Sizes(tiled::program().sizes()[..1].iter().map(|s| (s.var.clone(), 2)).collect());
    Placements::of(tiled::program(), &sizes, Some(limits), false).expect("it is placed")
}

lift! {
    pub fn tiled<N, tune TILE: 2..=12>(xs: [f32; 12 * N]) -> [f32; 12 * N] {
        join(map(|tile| map(|x| x * 2.0, tile), split(TILE, xs)))
    }
}
