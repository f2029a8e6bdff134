//! Random programs in random forms: a schedule with some of its options, at random points of its parameters. Each form has
//! the value of its program, by the interpreter, and on a device where it is compiled.
//!
//! `LIFT_PAIRS=n` tries n pairs of a program and a form, `LIFT_HUNT_SECONDS=t` as many as t seconds are enough for,
//! `LIFT_RANDOM_SEED=s` others, `LIFT_SCHEDULE=name` those of one schedule only.

mod common;
mod drawn;
mod generator;
mod nests;

use common::devices;
use common::hunt::{all_seeds, deadline, number};
use drawn::{Compared, Meant, drawn, fitting, form, named, same};
use lift_core::check;
use lift_core::schedules::{SCHEDULES, Schedule};
use lift_core::syntax::Function;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Pairs in the everyday tests.
const PAIRS: u64 = 165;

/// Of each form so many points are tried, the first of them on a device, too.
const POINTS: usize = 3;

const ENOUGH: usize = 3;

/// Nests that the checker is shown.
const NESTS: usize = 300;

/// What was tried.
#[derive(Default)]
struct Seen {
    /// Pairs of each schedule, and those of them that ran on a device.
    pairs: BTreeMap<&'static str, (u64, u64)>,
    /// Pairs with each option.
    options: BTreeMap<(&'static str, &'static str), u64>,
    /// Forms of which no points were found.
    unfit: u64,
    /// Reasons why there is no kernel, or no device that runs it, each with one of its programs.
    refused: BTreeMap<String, u64>,
}

#[test]
fn random_programs_in_random_forms() {
    let (until, wanted) = (deadline(1), number("LIFT_PAIRS", PAIRS));
    let only = std::env::var("LIFT_SCHEDULE").ok();
    let (mut seen, mut failures) = (Seen::default(), vec![]);
    for seed in all_seeds() {
        let pairs = seen.pairs.values().map(|(pairs, _)| pairs).sum::<u64>();
        if until.map_or(pairs >= wanted, |until| Instant::now() >= until) || failures.len() == ENOUGH {
            break;
        }
        let schedule = SCHEDULES[usize::try_from(seed % SCHEDULES.len() as u64).unwrap_or(0)];
        if only.as_ref().is_some_and(|name| name != schedule.name) {
            continue;
        }
        let Some((function, random)) = drawn(schedule, seed) else { continue };
        let Some(problem) = failure(schedule, function, &random, &mut seen) else { continue };
        println!("seed {seed}, {problem}");
        failures.push(format!("seed {seed}, {problem}"));
    }
    let (pairs, ran) = seen.pairs.values().fold((0, 0), |(a, b), (pairs, ran)| (a + pairs, b + ran));
    let each: Vec<String> =
        seen.pairs.iter().map(|(name, (pairs, ran))| format!("{name} {pairs}/{ran}")).collect();
    println!(
        "hunted: {pairs} pairs, {ran} of them on devices ({}), {} forms without points",
        each.join(", "),
        seen.unfit
    );
    let options: Vec<String> = seen
        .options
        .iter()
        .map(|((schedule, option), pairs)| format!("{schedule} {option} {pairs}"))
        .collect();
    println!("with options: {}", options.join(", "));
    seen.refused.iter().for_each(|(reason, times)| println!("refused {times} times: {reason}"));
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
    for schedule in SCHEDULES.iter().filter(|schedule| only.as_ref().is_none_or(|name| name == schedule.name))
    {
        let tried = seen.pairs.get(schedule.name).is_some_and(|(_, ran)| *ran > 0);
        assert!(tried || pairs < PAIRS, "none of {pairs} pairs is a form by `{}`", schedule.name);
    }
}

/// The smallest program that fails like this one, if it does; a panic is such a failure.
fn failure(
    schedule: &'static Schedule,
    function: Function,
    random: &fastrand::Rng,
    seen: &mut Seen,
) -> Option<String> {
    let attempt = |function: &Function, seen: &mut Seen| {
        let attempt = AssertUnwindSafe(|| tried(schedule, function, random.clone(), seen));
        catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
    };
    let first = attempt(&function, seen).err()?;
    let fails = &mut |f: &[Function]| attempt(&f[0], &mut Seen::default()).is_err();
    let small = generator::shrink(&[function], fails).remove(0);
    let problem =
        attempt(&small, &mut Seen::default()).err().unwrap_or_else(|| format!("not always: {first}"));
    let strict = if small.strict { "#[strict] " } else { "" };
    Some(format!("`{}`: {problem}\n{strict}{}", schedule.name, generator::print::function(&small)))
}

/// Compares some points of a random form with the program.
fn tried(
    schedule: &'static Schedule,
    function: &Function,
    mut random: fastrand::Rng,
    seen: &mut Seen,
) -> Result<(), String> {
    let Ok(programs) = check(std::slice::from_ref(function)) else { return Ok(()) };
    let program = &programs[0];
    let Some(candidate) = form(schedule, program, &mut random) else { return Ok(()) };
    let Some((sizes, points)) = fitting(program, &candidate, POINTS, &mut random) else {
        seen.unfit += 1;
        return Ok(());
    };
    let Some(meant) = Meant::new(program, sizes, &mut random)? else { return Ok(()) };
    let device = random.choice(devices::all()).expect("the built-in one");
    for (k, point) in points.iter().enumerate() {
        let compared = same(&candidate, point, &meant, (k == 0).then_some(device));
        let what = |problem| format!("{:?} at {}: {problem}", candidate.options, named(&candidate, point));
        let (interpreted, ran) = match compared.map_err(what)? {
            Compared::Interpreted => (1, 0),
            Compared::Ran => (1, 1),
            Compared::Refused(reason) => {
                *seen.refused.entry(reason).or_default() += 1;
                continue;
            }
        };
        let pairs = seen.pairs.entry(schedule.name).or_default();
        *pairs = (pairs.0 + interpreted, pairs.1 + ran);
        for option in &candidate.options {
            *seen.options.entry((schedule.name, option)).or_default() += interpreted;
        }
    }
    Ok(())
}

/// What they do, each is written in many ways, and nearly all of these are accepted.
#[test]
fn nests_are_accepted() {
    let (mut random, mut refused) = (fastrand::Rng::with_seed(number("LIFT_RANDOM_SEED", 1)), vec![]);
    for _ in 0..NESTS {
        let function = generator::nest(&[], &mut random);
        if let Err(mistakes) = check(std::slice::from_ref(&function)) {
            let mistakes: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            refused.push(format!("{}\n{}", mistakes.join("\n"), generator::print::function(&function)));
        }
    }
    assert!(refused.len() * 50 <= NESTS, "{} of {NESTS}:\n{}", refused.len(), refused.join("\n"));
}
