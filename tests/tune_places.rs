//! Where maps run is part of what is tuned: where a schedule leaves it open, a choice says it.

use lift::prelude::*;
use lift::tune::{Choice, Found, Front, Goal, Key, Store, Tuning};
use std::time::Duration;

lift! {
    pub fn product<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), xs)
    }
}

fn tuning(n: usize) -> Tuning {
    let sizes = product::Sizes { N: n, M: n, L: n };
    product::tuning(&Device::cpu(), sizes).expect("it fits").stored(None)
}

fn found(choice: &Choice, nanoseconds: u64) -> Found {
    Found { choice: choice.clone(), time: Duration::from_nanos(nanoseconds), bytes: 1 }
}

/// Placed choices that a search comes to which finds them the faster the later.
fn placed(tuning: Tuning, count: usize) -> Vec<Choice> {
    // Of other sizes a form without places is known to be good.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let other = Key { sizes: "N=8 M=8 L=8".into(), ..tuning.key().clone() };
    let form = found(&"mapped TR=2 Q=2 D=2".parse().expect("a choice"), 1);
    store.merge(&other, &Front::from_iter([form])).expect("it is written");
    let tuning = tuning.stored(Some(store));
    let mut search = tuning.candidates(1);
    let mut placed = vec![];
    while let Some(choice) = search.next_candidate().filter(|_| placed.len() < count) {
        let time = if choice.places.is_empty() { 1_000_000 } else { 1000 - placed.len() };
        search.learn(&found(&choice, time as u64));
        placed.extend(Some(choice).filter(|c| !c.places.is_empty()));
    }
    assert_eq!((placed.len(), search.refused().count()), (count, 0), "what the solver finds becomes kernels");
    placed
}

/// How many places and values two choices of a form differ in.
fn apart(a: &Choice, b: &Choice) -> usize {
    let places = a.places.iter().zip(&b.places).filter(|(a, b)| a != b).count();
    places + a.point.iter().zip(&b.point).filter(|(a, b)| a != b).count()
}

#[test]
fn a_search_places_maps() {
    let placed = placed(tuning(16), 60);
    for choice in &placed {
        assert_eq!(choice.to_string().parse().as_ref(), Ok(choice));
        let built = tuning(16).build(choice);
        assert!(built.is_ok(), "{choice}: {}", built.err().map(|e| e.to_string()).unwrap_or_default());
    }
    assert!(placed[0].places.iter().any(|code| *code >= 10), "some maps run in parallel: {}", placed[0]);
    // From what is fast it goes on to what differs in a place or two, or in numbers.
    let pairs = || placed.iter().flat_map(|a| placed.iter().map(move |b| (a, b)));
    let near = |a: &Choice, b: &Choice| a.form() == b.form() && (1..=2).contains(&apart(a, b));
    assert!(pairs().any(|(a, b)| near(a, b) && a.places != b.places), "maps move: {placed:?}");
    assert!(pairs().any(|(a, b)| near(a, b) && a.point != b.point), "numbers move: {placed:?}");
}

/// Places that are not valid are no reason to run anything, and those of other sizes are put right.
#[test]
fn places_in_a_store_are_checked() -> Result<(), lift::Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let small = tuning(16).stored(Some(store.clone()));
    let good = placed(tuning(16), 1).remove(0);
    let with = |places: Vec<i64>| Choice { places, ..good.clone() };
    let maps = good.places.len();
    let wrong = [vec![], vec![0; maps + 1], vec![10; maps], vec![7; maps]];
    for (places, time) in wrong.into_iter().zip(1..) {
        let choice = with(places);
        assert!(small.build(&choice).is_err(), "{choice}");
        store.merge(
            small.key(),
            &Front::from_iter([Found { bytes: 100 - time, ..found(&choice, time as u64) }]),
        )?;
    }
    store.merge(small.key(), &Front::from_iter([found(&good, 100)]))?;
    assert_eq!(store.read()?.fronts[small.key()].iter().len(), 5);
    assert_eq!(small.best(Goal::Fastest)?.choice, good);
    // Sizes of which nothing is known begin with what was found for others.
    let large = tuning(32).stored(Some(store));
    let mut search = large.candidates(1);
    let first: Vec<Choice> = std::iter::from_fn(|| search.next_candidate()).take(5).collect();
    let alike = |choice: &Choice| choice.form() == good.form() && choice.places == good.places;
    assert!(first.iter().any(alike), "{good}: {first:?}");
    Ok(())
}

lift! {
    /// No sums, and truths, of which there are no vectors.
    pub fn large<N>(xs: [i32; N]) -> [bool; N] {
        map(|x| 2 * x > 5, xs)
    }
    /// Windows that share nothing can't be rotated: two of its three values are refused.
    pub fn rotating<N, tune S: [1, 3, 4]>(rows: [[i32; 15]; N]) -> [i32; N] {
        map(|row| reduceSeq(0, |acc, w| reduceSeq(acc, |a, x| a * 3 + x, w), rotated(slide(3, S, row))), rows)
    }
}

/// The program as it is written is built where nothing else can be, with each schedule's reason.
#[test]
fn the_program_as_it_is_has_its_reasons() -> Result<(), lift::Error> {
    let tuning = large::tuning(&Device::cpu(), large::Sizes { N: 5 })?.stored(None);
    let best = tuning.best(Goal::Fastest)?;
    let why = best.as_written.expect("no schedule applies");
    assert!(why.starts_with("no schedule applies (`direct` does not apply: "), "{why}");
    for refusal in tuning.not_applicable() {
        assert!(why.contains(refusal.schedule) && why.contains(&refusal.reason), "{why}");
    }
    assert_eq!(tuning.not_applicable().len(), lift::schedules::SCHEDULES.len());
    let only = large::tuning(&Device::cpu(), large::Sizes { N: 5 })?.stored(None).only(None);
    assert_eq!(only.best(Goal::Fastest)?.as_written.as_deref(), Some("no other form is asked for"));
    let product = crate::tuning(16).best(Goal::Fastest)?;
    assert_eq!(product.as_written.is_some(), product.choice.schedule.is_none());
    // A form that is none says why.
    let refused = |form: &str| {
        let error = tuning.build(&form.parse().expect("a choice")).err().expect("there is none");
        error.to_string()
    };
    assert!(refused("combined D=2").contains("has no `reduce`"), "{}", refused("combined D=2"));
    assert!(refused("- D=2").contains("there is no parameter `D`, nor any other"), "{}", refused("- D=2"));
    // A product has no rows of windows: of these there is one, or none.
    let of_product = |form: &str| crate::tuning(16).build(&form.parse().expect("a choice")).map(|_| ());
    assert!(of_product("combined D=2 V=1 R=1 Q=2").is_ok());
    let error = of_product("combined D=2 V=1 R=2 Q=2").expect_err("nothing would be tiled");
    assert!(error.to_string().contains("there is no parameter `R`, but these: `D`, `V`, `Q`"), "{error}");
    assert!(refused("combined folded D=2").contains("no schedule of this name with these options"));
    Ok(())
}

/// Candidates without kernels are counted by reason, with one of them.
#[test]
fn refusals_are_told_by_reason() {
    let tuning =
        rotating::tuning(&Device::cpu(), rotating::Sizes { N: 4 }).expect("it fits").stored(None).only(None);
    let mut search = tuning.candidates(1);
    let tried: Vec<Choice> = std::iter::from_fn(|| search.next_candidate()).collect();
    assert_eq!(tried.iter().map(|choice| choice.value("S")).collect::<Vec<_>>(), [Some(1)]);
    let [failure] = &search.refused().iter().collect::<Vec<_>>()[..] else {
        panic!("{:?}", search.refused())
    };
    assert!(failure.count == 2 && failure.example.value("S") > Some(1), "{failure}");
    assert!(failure.reason.contains("`rotated` cannot keep these windows in registers"), "{failure}");
}
