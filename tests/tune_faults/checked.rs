//! What is not right is not kept, however it comes to light: a term among millions, a kernel that is right only
//! once, a form that a store has and that does not work any more.

use crate::{FAULTS, FOLDER, given, kernels, limits, on_device};
use lift::prelude::*;
use lift::tune::{Choice, Ended, Found, Front, Limits, Outcome, Store};
use lift::{Error, Plan, Program, Sizes};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

lift! {
    /// The same forwards and backwards, and one that forgets an element.
    pub fn long<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |a, x| a + x, xs)
    }
    pub fn backwards<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |a, x| a + x, reverse(xs))
    }
    pub fn too_short<N>(xs: [f32; N]) -> f32 where N > 1 {
        reduce(0.0, |a, x| a + x, drop(1, xs))
    }

    /// The same in floats of 16 bits.
    pub fn halves<N>(xs: [f16; N], ys: [f16; N]) -> f16 {
        reduce(0.0, |a, (x, y)| a + x * y, zip(xs, ys))
    }
    pub fn halves_backwards<N>(xs: [f16; N], ys: [f16; N]) -> f16 {
        reduce(0.0, |a, (x, y)| a + x * y, zip(reverse(xs), reverse(ys)))
    }
    pub fn too_few_halves<N>(xs: [f16; N], ys: [f16; N]) -> f16 where N > 1 {
        reduce(0.0, |a, (x, y)| a + x * y, zip(drop(1, xs), drop(1, ys)))
    }

    /// A parameter that stands before a size, and makes no difference but in time: odd numbers take much longer.
    pub fn shifted<tune BIAS: 1..=8, N>(xs: [f32; N]) -> [f32; N] {
        map(|x| iterate(1 + 60 * (BIAS % 2), |y| y + BIAS as f32 - BIAS as f32, x), xs)
    }
}

/// How programs do that claim to be a form of the first.
fn outcomes(tuning: lift::tune::Tuning, n: i64, programs: [&Program; 2]) -> [Outcome; 2] {
    let (tuning, limits) = (tuning.stored(None), limits());
    let mut trials = tuning.trials(&limits).expect("a worker");
    programs.map(|program| {
        let sizes = Sizes(vec![(program.sizes()[0].var.clone(), n)]);
        trials.program(program, &sizes).expect("it runs").expect("there is time").outcome
    })
}

#[test]
fn a_term_that_is_missing_among_many_is_noticed() -> Result<(), Error> {
    let device = &Device::cpu();
    let n = 1 << 22;
    let tuning = long::tuning(device, long::Sizes { N: n })?;
    let [right, wrong] = outcomes(tuning, n as i64, [backwards::program(), too_short::program()]);
    assert!(matches!(right, Outcome::Measured { .. }), "{right:?}");
    assert!(matches!(wrong, Outcome::Wrong(_)), "{wrong:?}");
    let n = 576;
    let tuning = halves::tuning(device, halves::Sizes { N: n })?;
    let [right, wrong] = outcomes(tuning, n as i64, [halves_backwards::program(), too_few_halves::program()]);
    assert!(matches!(right, Outcome::Measured { .. }), "{right:?}");
    assert!(matches!(wrong, Outcome::Wrong(_)), "{wrong:?}");
    Ok(())
}

/// Kernels of even numbers are right only the first time that a worker builds them.
pub fn second_time(choice: &Choice, plan: &mut Plan) {
    static TIMES: [AtomicUsize; 9] = [const { AtomicUsize::new(0) }; 9];
    let Some(bias) = choice.value("BIAS") else { return };
    if TIMES[bias as usize].fetch_add(1, Ordering::Relaxed) > 0 && bias % 2 == 0 {
        kernels::one_too_many(plan);
    }
}

#[test]
fn what_is_wrong_the_second_time_is_not_kept() {
    on_device(0, "checked::child", "second", "an odd one is left");
}

#[test]
fn child() -> Result<(), Error> {
    if !std::env::var(FAULTS).is_ok_and(|faults| faults == "second") {
        return Ok(());
    }
    let folder = std::env::var_os(FOLDER).expect("a folder");
    let store = Store::new(Path::new(&folder).join("tuned.txt"));
    let tuning =
        shifted::tuning(&Device::cpu(), shifted::Sizes { N: 1 << 16 })?.only(None).stored(Some(store));
    let report = tuning.search(&Limits { workers: 1, ..limits() }, |_| {})?;
    assert_eq!((report.tried, report.measured + report.wrong), (8, 8), "{report}");
    // What is compared again in the end is the fastest, and what may be as fast.
    assert!(report.wrong > 0, "{report}");
    let odd = |found: &Found| found.choice.value("BIAS").is_some_and(|bias| bias % 2 == 1);
    assert!(report.front.iter().all(odd) && !report.front.is_empty(), "{:?}", report.front);
    assert_eq!(tuning.front(), report.front);
    println!("an odd one is left");
    Ok(())
}

/// Forms that a store has, that are said to be faster than any, and do not work any more.
#[test]
fn what_fails_makes_room_in_the_store() {
    on_device(0, "checked::child_with_a_store", "each", "they are gone");
}

#[test]
fn child_with_a_store() {
    let Some(tuning) = given() else { return };
    // Late, ended, not a number, wrong; of no schedule that there is, of no value that there is.
    let forms = ["- BLOCK=2", "- BLOCK=4", "- BLOCK=8", "- BLOCK=16", "forgotten D=2", "- BLOCK=5"];
    let found = |(k, form): (usize, &&str)| Found {
        choice: form.parse().expect("a choice"),
        time: Duration::from_nanos(k as u64 + 1),
        bytes: 100 - k,
    };
    let before: Front = forms.iter().enumerate().map(found).collect();
    assert_eq!(before.iter().len(), forms.len());
    tuning.store().expect("it has one").merge(tuning.key(), &before).expect("it is written");
    let limits = Limits { candidate_time: Duration::from_secs(5), ..limits() };
    let report = tuning.search(&limits, |_| {}).expect("two are sound");
    assert_eq!((report.ended.clone(), report.measured, report.not_generated), (Ended::Exhausted, 2, 0));
    assert_eq!(tuning.front(), report.front);
    println!("they are gone");
}
