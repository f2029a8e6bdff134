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
    assert_eq!((placed.len(), search.refused), (count, 0), "what the solver finds becomes kernels");
    placed
}

/// How many places and values two choices of a form differ in.
fn apart(a: &Choice, b: &Choice) -> usize {
    let places = a.places.iter().zip(&b.places).filter(|(a, b)| a != b).count();
    places + a.point.iter().zip(&b.point).filter(|(a, b)| a != b).count()
}

#[test]
fn a_search_places_maps() {
    let placed = placed(tuning(16), 30);
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
