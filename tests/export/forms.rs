//! Forms that schedules derive: of several kernels, with local memory, placed by the solver, found by a search.

use crate::folder::{device, trial};
use crate::nests::{nhwc, placed, points};
use crate::{agrees, common::shapes, exported_agrees};
use lift::constraints::{Limits, place};
use lift::schedules::{BLOCKED, COMBINED, Candidate, DIRECT, MAPPED, Schedule};
use lift::tune::{self, Goal, Launcher, Store, Tuning};
use lift::{Plan, Program};
use lift_core::kernel::Role;
use std::time::Duration;

/// K, C, H, W
const SIZES: [usize; 4] = [8, 4, 4, 4];

/// Of so many points those are looked at that have what is wanted.
const POINTS: usize = 16;

fn derived(schedule: &Schedule, options: &[&str]) -> Candidate {
    schedule.derive(nhwc::program(), options).expect("it applies")
}

fn plan(program: &Program, point: &[usize]) -> Plan {
    let sizes = shapes::named(program, &mut point.iter().copied());
    lift::plan(program, &sizes, &lift::target::Target::default()).expect("it generates")
}

/// A form that a schedule derives, at the first of its points where the kernels are such.
fn agrees_by(schedule: &Schedule, options: &[&str], are_such: fn(&Plan) -> bool) {
    let candidate = derived(schedule, options);
    let all = points(&candidate, &SIZES, POINTS).into_iter();
    let mut placed = all.map(|point| (placed(&candidate, &point), point));
    let (program, point) =
        placed.find(|(program, point)| are_such(&plan(program, point))).expect("such a point");
    agrees(&program, &point, program.name());
}

/// The work-items of a group share local memory, and wait for each other.
fn shares(plan: &Plan) -> bool {
    let text = plan.opencl();
    text.contains("    local float") && text.contains("barrier(")
}

#[test]
fn partial_sums_in_two_kernels() {
    agrees_by(&DIRECT, &["padded", "coalesced"], |plan| plan.launches.len() > 1);
}

#[test]
fn weights_packed_once() {
    agrees_by(&COMBINED, &["packed", "padded"], |_| true);
}

#[test]
fn blocks_in_local_memory() {
    agrees_by(&BLOCKED, &[], shares);
    agrees_by(&BLOCKED, &["ragged", "ahead"], shares);
}

/// The sums of the first kernel's groups lie in memory of their own until the second adds them up.
#[test]
fn blocks_in_two_kernels() {
    agrees_by(&BLOCKED, &["split"], |plan| {
        let between = plan.buffers.iter().filter(|b| b.role == Role::Temporary);
        shares(plan) && plan.launches.len() == 2 && between.count() == 1
    });
}

/// Where the solver would rather have the maps, and where else they may be.
#[test]
fn maps_placed_by_the_solver() {
    agrees_by(&MAPPED, &[], |_| true);
    agrees_by(&MAPPED, &["inputs", "weights"], shares);
    let candidate = derived(&MAPPED, &["inputs"]);
    let point = points(&candidate, &SIZES, 1).remove(0);
    let sizes = shapes::named(&candidate.program, &mut point.iter().copied());
    let placements = candidate.placements(&sizes, Limits::default()).expect("the point fits");
    let mut drawn = placements.sample(7).map(|placement| place(&placements, &placement));
    let program = drawn.find(|program| shares(&plan(program, &point))).expect("such a placement");
    agrees(&program, &point, program.name());
}

/// The test binary as a worker of a search.
fn launcher() -> Launcher {
    let program = std::env::current_exe().expect("this test binary");
    Launcher { program, arguments: ["forms::worker", "--exact", "--nocapture"].map(String::from).to_vec() }
}

/// No test by itself: where this binary is started as a worker, it is one from here on.
#[test]
fn worker() {
    tune::worker();
}

/// What a search finds is exported as it is built.
#[test]
fn the_best_that_a_search_finds() {
    let Some(device) = device() else { return };
    let sizes = [16, 8, 8, 8];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = Tuning::new(nhwc::program(), device, &sizes).expect("it fits").stored(Some(store));
    let limits = tune::Limits {
        candidates: 8,
        seed: 1,
        time: Duration::from_secs(600),
        candidate_time: Duration::from_secs(60),
        worker: Some(launcher()),
        ..tune::Limits::default()
    };
    let report = tuning.search(&limits, |_| {}).expect("some are right");
    let best = tuning.best(Goal::Fastest).expect("one was found");
    assert_eq!(Some(&best.choice), report.front.best().map(|found| &found.choice));
    assert!(best.choice.schedule.is_some(), "the program as it is takes several times as long");
    exported_agrees(&trial(nhwc::program(), &sizes), &best.compiled, "nhwc");
}
