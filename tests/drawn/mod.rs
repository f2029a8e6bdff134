//! Random programs in random forms: a schedule with some of its options, at random points of its parameters.

// Each test binary uses its own part of this.
#![allow(dead_code, unused_imports)]

mod compared;
mod meant;

pub use compared::{Compared, equal, same};
pub use meant::Meant;

use crate::common::shapes;
use crate::{generator, nests};
use lift::target::Target;
use lift_core::kernel::Plan;
use lift_core::rules::CATALOGUE;
use lift_core::schedules::{Candidate, Schedule};
use lift_core::syntax::Function;
use lift_core::tune::choose;
use lift_core::{Program, Sizes, check, cost, pipeline};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// So many programs are drawn for one that the schedule applies to.
const PATIENCE: usize = 40;

/// So many selections of options are drawn for one that has a form, and so many sizes for some that have points.
const SELECTIONS: usize = 4;
const SIZES: usize = 12;

/// No value of a program has more scalars.
const LARGEST: u128 = 10_000;

/// No program and no form has more operations.
const OPERATIONS: f64 = 500_000.0;

/// A program that the schedule applies to, and the generator for what else is drawn: both depend on the seed alone.
pub fn drawn(schedule: &Schedule, seed: u64) -> Option<(Function, fastrand::Rng)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let applies = |function: &Function| {
        let derived = AssertUnwindSafe(|| {
            let programs = check(std::slice::from_ref(function)).ok()?;
            schedule.derive(&programs[0], &[]).ok()
        });
        // What panics is found again, and reported.
        catch_unwind(derived).map_or(true, |derived| derived.is_some())
    };
    let function = (0..PATIENCE).map(|_| program(schedule, &mut random)).find(applies)?;
    Some((function, random))
}

/// Mostly of a kind that the schedule is made for.
fn program(schedule: &Schedule, random: &mut fastrand::Rng) -> Function {
    let mut function = match random.u8(0..10) {
        0 | 1 => {
            // With a shape, floats stay small.
            let shapes: Vec<_> = CATALOGUE.iter().filter_map(|rule| generator::shape(rule.name)).collect();
            let shape = *random.choice(&shapes).expect("some");
            generator::shaped(Some(shape), random)
        }
        2 => generator::nest(&[], random),
        _ => generator::nest(made_for(schedule), random),
    };
    // Of a smaller program that goes wrong like this one, the result may have another type.
    function.result = None;
    function.strict = random.u8(0..12) == 0;
    function
}

/// A program that may have several loop nests.
pub fn of_several(random: &mut fastrand::Rng) -> Function {
    let mut function = match random.u8(0..4) {
        0 => generator::staged(random),
        1 => generator::nest(&[], random),
        _ => generator::nest(&["chained", "normalised"], random),
    };
    function.result = None;
    function
}

/// The kinds of nests for a schedule that applies to few others.
fn made_for(schedule: &Schedule) -> &'static [&'static str] {
    match schedule.name {
        "rows" => &["rows", "normalised", "product", "vector", "convolution", "chained"],
        "chunks" => &["total", "rows", "vector", "normalised", "product", "chained"],
        "scans" => &["scan"],
        "turned" => &["transposition", "elements"],
        "framed" => &["stencil", "depthwise"],
        "blocked" => &["convolution", "transposed convolution", "product"],
        _ => &[],
    }
}

/// What a schedule makes of a program with some of its options.
pub fn form(schedule: &Schedule, program: &Program, random: &mut fastrand::Rng) -> Option<Candidate> {
    let selections: Vec<Vec<&str>> = (0..SELECTIONS)
        .map(|_| {
            let one_in = random.u8(2..5);
            let taken = schedule.options.iter().filter(|_| random.u8(0..one_in) == 0);
            taken.map(|(name, _)| *name).collect()
        })
        .collect();
    selections.iter().chain([&vec![]]).find_map(|options| schedule.derive(program, options).ok())
}

/// Sizes of the program at which the form has points, and some of these, at most so many.
pub fn fitting(
    program: &Program,
    candidate: &Candidate,
    most_points: usize,
    random: &mut fastrand::Rng,
) -> Option<(Sizes, Vec<Vec<usize>>)> {
    (0..SIZES).find_map(|_| {
        let sizes = sizes(program, random)?;
        let points = points(candidate, &sizes, most_points, random);
        (!points.is_empty()).then_some((sizes, points))
    })
}

/// Sizes that the program admits and at which it is small, if those drawn are such.
pub fn sizes(program: &Program, random: &mut fastrand::Rng) -> Option<Sizes> {
    let all = program.sizes();
    let most = [256, 256, 48, 16, 10, 8][all.len().min(5)];
    // One of them may be large: tiles of tiles fit only there.
    let large = random.usize(0..=all.len());
    let sides = all.iter().enumerate().map(|(k, size)| match program.function.least(&size.var) {
        0 if random.u8(0..3) == 0 => 0,
        _ => side(if k == large { 4 * most } else { most }, random),
    });
    let values: Vec<usize> = sides.collect();
    let sizes = shapes::named(program, &mut values.into_iter());
    let small = || pipeline::largest(program, &sizes).is_ok_and(|n| n <= LARGEST);
    let quick = || lift_core::compile(program, &sizes, &Target::default()).is_ok_and(|plan| is_quick(&plan));
    (program.admits(&sizes).is_ok() && small() && quick()).then_some(sizes)
}

/// Are there so few operations that the interpreter is done in a second or two?
fn is_quick(plan: &Plan) -> bool {
    cost::total(plan) <= OPERATIONS
}

/// Some points of a form at these sizes, at most so many.
pub fn points(
    candidate: &Candidate,
    sizes: &Sizes,
    most: usize,
    random: &mut fastrand::Rng,
) -> Vec<Vec<usize>> {
    let values: Vec<usize> = sizes.0.iter().filter_map(|(_, n)| usize::try_from(*n).ok()).collect();
    match choose::space(&candidate.program, sizes) {
        Ok(_) => nests::points_from(candidate, &values, most, random.u64(..)),
        Err(_) => vec![],
    }
}

/// A size: one that tiles divide more often than another.
fn side(most: usize, random: &mut fastrand::Rng) -> usize {
    match random.u8(0..6) {
        0 => random.usize(1..=most),
        1 => random.usize(1..=most.min(9)),
        2 | 3 => (4 * random.usize(1..=most / 4)).min(most),
        _ => (1 << random.u32(0..=most.ilog2())).min(most),
    }
}

pub fn named(candidate: &Candidate, point: &[usize]) -> Sizes {
    shapes::named(&candidate.program, &mut point.iter().copied())
}
