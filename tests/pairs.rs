//! Random programs in random forms: a schedule with some of its options, at random points of its parameters. Each form has
//! the value of its program, by the interpreter, and on a device where it is compiled; so has a program of several loop nests,
//! each in a form of its own.
//!
//! `LIFT_PAIRS=n` tries n pairs of a program and a form, `LIFT_HUNT_SECONDS=t` as many as t seconds are enough for,
//! `LIFT_RANDOM_SEED=s` others, `LIFT_SCHEDULE=name` those of one schedule only.

mod common;
mod drawn;
mod generator;
mod nests;

use common::devices;
use common::hunt::{all_seeds, budget, deadline, number};
use drawn::{Compared, Meant, drawn, fitting, form, named, same};
use lift_core::check;
use lift_core::constraints::Limits;
use lift_core::parts::{PartForm, Parts};
use lift_core::schedules::{SCHEDULES, Schedule};
use lift_core::syntax::Function;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Pairs in the everyday tests.
const PAIRS: u64 = 165;

/// Of each form so many points are tried, the first of them on a device, too.
const POINTS: usize = 3;

/// Programs of several parts in the everyday tests.
const IN_PARTS: u64 = 20;

/// So many programs, sizes and forms of a part are drawn for one that will do.
const PATIENCE: usize = 12;

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

impl Seen {
    fn count(&mut self, schedule: &'static str, options: &[&'static str], compared: Compared) {
        let ran = match compared {
            Compared::Interpreted => 0,
            Compared::Ran => 1,
            Compared::Refused(reason) => return *self.refused.entry(reason).or_default() += 1,
        };
        let pairs = self.pairs.entry(schedule).or_default();
        *pairs = (pairs.0 + 1, pairs.1 + ran);
        options.iter().for_each(|option| *self.options.entry((schedule, option)).or_default() += 1);
    }
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
        let one = |function: &Function, random, seen: &mut Seen| tried(schedule, function, random, seen);
        let Some(problem) = failure(schedule.name, function, &random, &mut seen, one) else { continue };
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
    what: &str,
    function: Function,
    random: &fastrand::Rng,
    seen: &mut Seen,
    one: impl Fn(&Function, fastrand::Rng, &mut Seen) -> Result<(), String>,
) -> Option<String> {
    let attempt = |function: &Function, seen: &mut Seen| {
        let attempt = AssertUnwindSafe(|| one(function, random.clone(), seen));
        catch_unwind(attempt).unwrap_or_else(|_| Err("it panicked".into()))
    };
    let first = attempt(&function, seen).err()?;
    let fails = &mut |f: &[Function]| attempt(&f[0], &mut Seen::default()).is_err();
    let small = generator::shrink(&[function], fails).remove(0);
    let problem =
        attempt(&small, &mut Seen::default()).err().unwrap_or_else(|| format!("not always: {first}"));
    let strict = if small.strict { "#[strict] " } else { "" };
    Some(format!("`{what}`: {problem}\n{strict}{}", generator::print::function(&small)))
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
        seen.count(schedule.name, &candidate.options, compared.map_err(what)?);
    }
    Ok(())
}

/// Of a program of several loop nests each part in a form of its own.
#[test]
fn random_programs_in_parts() {
    let (mut seen, mut failures) = (Seen::default(), vec![]);
    for seed in budget(all_seeds(), "LIFT_PAIRS", IN_PARTS) {
        let mut random = fastrand::Rng::with_seed(seed);
        let several = |function: &Function| {
            let programs = check(std::slice::from_ref(function));
            programs.is_ok_and(|programs| !Parts::of(&programs[0]).is_one())
        };
        let drawn = (0..PATIENCE).map(|_| drawn::of_several(&mut random)).find(several);
        let Some(function) = drawn else { continue };
        let Some(problem) = failure("parts", function, &random, &mut seen, in_parts) else { continue };
        println!("seed {seed}, {problem}");
        failures.push(format!("seed {seed}, {problem}"));
        if failures.len() == ENOUGH {
            break;
        }
    }
    let (pairs, ran) = seen.pairs.get("parts").copied().unwrap_or_default();
    println!("hunted: {pairs} pairs of a program and forms of its parts, {ran} of them on devices");
    seen.refused.iter().for_each(|(reason, times)| println!("refused {times} times: {reason}"));
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n\n"));
    assert!(ran > 0);
}

fn in_parts(function: &Function, mut random: fastrand::Rng, seen: &mut Seen) -> Result<(), String> {
    let Ok(programs) = check(std::slice::from_ref(function)) else { return Ok(()) };
    let (program, parts) = (&programs[0], Parts::of(&programs[0]));
    let sizes = (0..PATIENCE).find_map(|_| drawn::sizes(program, &mut random));
    let Some(sizes) = sizes.filter(|_| !parts.is_one()) else { return Ok(()) };
    let Some(meant) = Meant::new(program, sizes.clone(), &mut random)? else { return Ok(()) };
    let mut chosen = vec![];
    let forms = parts.iter().map(|part| {
        if part.may_be_inline() && random.bool() {
            chosen.push("inline".into());
            return PartForm::Inline;
        }
        let own = part.sizes(&sizes);
        let derived = (0..PATIENCE).find_map(|_| {
            let schedule = random.choice(SCHEDULES)?;
            let candidate = form(schedule, &part.program, &mut random)?;
            let point = drawn::points(&candidate, &own, 1, &mut random).pop()?;
            let at = named(&candidate, &point);
            chosen.push(format!("{} {:?} at {at}", schedule.name, candidate.options));
            Some((candidate.placed(&at, Limits::default()).ok()?, at))
        });
        let (program, sizes) = derived.unwrap_or_else(|| (part.program.clone(), own));
        PartForm::Kept(program, sizes)
    });
    let joined = parts.joined(&forms.collect::<Vec<_>>());
    let device = random.bool().then(|| random.choice(devices::all())).flatten();
    let compared = drawn::equal(&joined, sizes, &meant, device);
    let what =
        |problem| format!("{} at {}: {problem}\n{}", chosen.join(", "), meant.trial.sizes, joined.function);
    seen.count("parts", &[], compared.map_err(what)?);
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
