//! Programs of several parts: each different part is searched once, then the whole.

use crate::{launcher, limits};
use lift::prelude::*;
use lift::tune::{Ended, Goal, Limits, Progress, Store};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

lift! {
    fn dense<N, M, L>(a: [[f32; L]; N], b: [[f32; M]; L]) -> [[f32; M]; N] {
        map(|row| map(|column| reduce(0.0, |acc, (x, y)| acc + x * y, zip(row, column)), transpose(b)), a)
    }

    /// The first two products are equal in all but names, the third is another.
    pub fn products<N>(a: [[f32; N]; N], b: [[f32; N]; N], c: [[f32; N]; N], rest: [[f32; 3 * N]; N]) -> [[f32; 3 * N]; N] {
        dense(dense(dense(a, b), c), rest)
    }
}

const SIZES: products::Sizes = products::Sizes { N: 64 };

#[test]
fn equal_parts_are_searched_once_and_then_the_whole() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = products::tuning(&Device::cpu(), SIZES).expect("it fits").stored(Some(store));
    let mut tried: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let limits = Limits { candidates: 24, time: Duration::from_secs(120), ..limits() };
    let (mut last, mut elapsed) = (0, Duration::ZERO);
    let mut whole = Vec::new();
    let report = tuning.search(&limits, |progress: &Progress| {
        if progress.part.is_none() {
            whole.push(progress.choice.to_string());
        }
        *tried.entry(progress.part).or_default() += 1;
        assert_eq!((progress.tried, progress.elapsed >= elapsed), (last + 1, true), "{progress}");
        (last, elapsed) = (progress.tried, progress.elapsed);
    });
    let report = report.expect("something is found");
    // The whole is tried as it is written and put together.
    assert_eq!(tried.keys().copied().collect::<Vec<_>>(), [None, Some(1), Some(3)], "{report}");
    assert!(tried[&None] == 2 && last <= 24 + 2, "{tried:?}");
    let of_parts: Vec<(usize, usize)> = report.parts.iter().map(|(k, part)| (*k, part.tried)).collect();
    assert_eq!((of_parts, report.tried), (vec![(1, tried[&Some(1)]), (3, tried[&Some(3)])], tried[&None]));
    assert!(report.to_string().contains("\npart 3: "), "{report}");

    // What was found for the parts is put together again. Which of the two is faster is for the machine to say.
    assert!(whole.iter().any(|choice| choice.starts_with("parts: ")), "{whole:?}, {report}");
    assert_eq!(report.front, tuning.front());
    let best = tuning.best(Goal::Fastest).expect("the best is built");
    let n = SIZES.N;
    let of = |columns: usize, seed: usize| {
        ndarray::Array2::from_shape_fn((n, columns), |(i, j)| ((i * 7 + j * 3 + seed) % 5) as f32 - 2.0)
    };
    let (a, b, c, rest) = (of(n, 0), of(n, 1), of(n, 2), of(3 * n, 3));
    let arguments = [&a, &b, &c, &rest].map(Into::into);
    let got = best.compiled.run(&arguments).expect("it runs").pop().expect("one result");
    let expected = a.dot(&b).dot(&c).dot(&rest);
    let got = got.into_array::<f32>().expect("of floats");
    assert_eq!(got.as_slice(), expected.as_slice(), "{}", best.choice);
}

#[test]
fn what_is_stopped_in_a_part_goes_no_further() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stop = Arc::new(AtomicBool::new(false));
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = products::tuning(&Device::cpu(), SIZES).expect("it fits").stored(Some(store));
    let limits = Limits { worker: Some(launcher()), workers: 1, stop: stop.clone(), ..limits() };
    let report = tuning.search(&limits, |progress| {
        assert_eq!(progress.part, Some(1));
        if progress.best.is_some() {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let report = report.expect("a part was measured");
    assert_eq!((report.ended, report.tried, report.parts.len()), (Ended::Stopped, 0, 1));
    assert!(report.parts[0].1.measured > 0);
}
