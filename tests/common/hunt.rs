//! How much a random hunt tries: so many seeds in the everyday tests, as many as fit into a time under `scripts/hunt`.

use std::time::{Duration, Instant};

/// The number that a variable of the environment holds, or the usual one.
pub fn number(variable: &str, usual: u64) -> u64 {
    let wanted = std::env::var(variable).ok();
    wanted.map_or(usual, |n| n.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

/// `LIFT_RANDOM_SEED`, or 1, and the numbers after it.
pub fn all_seeds() -> impl Iterator<Item = u64> {
    number("LIFT_RANDOM_SEED", 1)..
}

/// Until when a hunt goes on that shares `LIFT_HUNT_SECONDS` with so many others; `None`: without regard to time.
pub fn deadline(among: u32) -> Option<Instant> {
    let seconds = number("LIFT_HUNT_SECONDS", 0);
    (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds) / among)
}

/// Of these as many as a hunt tries: `LIFT_HUNT_SECONDS` long, else as many as `variable` says, else so many.
pub fn budget<T>(all: impl Iterator<Item = T>, variable: &str, usual: u64) -> impl Iterator<Item = T> {
    let (until, count) = (deadline(1), number(variable, usual));
    let mut tried = 0;
    all.take_while(move |_| {
        tried += 1;
        until.map_or(tried <= count, |until| Instant::now() < until)
    })
}

/// Seeds for so many cases in turn, each with its case: every one once in the everyday tests, as often as there is time
/// under `scripts/hunt`.
pub fn turns(cases: usize) -> impl Iterator<Item = (usize, u64)> {
    let until = deadline(1);
    let in_time = move |k: usize| until.map_or(k < cases, |until| Instant::now() < until);
    let case = move |seed: u64| usize::try_from(seed % cases.max(1) as u64).unwrap_or(0);
    all_seeds().enumerate().take_while(move |(k, _)| in_time(*k)).map(move |(_, seed)| (case(seed), seed))
}
