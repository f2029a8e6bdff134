//! What the fuzzer of the prover found worth keeping, and everything that ever went wrong.

mod nat_bytes;

use std::time::{Duration, Instant};

/// No question takes longer, simplifications and bounds of its sides included.
const LONGEST: Duration = Duration::from_secs(1);

/// `LIFT_FUZZED=folder` asks what is there instead, and `SHOW=1` prints what takes longest.
#[test]
fn fuzzed_questions() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/kept/prover");
    let folder = std::env::var("LIFT_FUZZED").unwrap_or(kept.into());
    let (mut replayed, mut slowest) = (0, (Duration::ZERO, vec![]));
    for entry in std::fs::read_dir(folder).expect("inputs that the fuzzer kept") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        let taken = duration(&bytes);
        replayed += 1;
        if taken > slowest.0 {
            slowest = (taken, bytes);
        }
    }
    println!("{replayed} questions, the slowest takes {:?}", slowest.0);
    if std::env::var_os("SHOW").is_some() {
        println!("{}", nat_bytes::shown(&slowest.1));
    }
    assert!(replayed > 50, "{replayed}");
    assert!(slowest.0 < LONGEST, "{:?} for {}", slowest.0, nat_bytes::shown(&slowest.1));
}

/// What an answer takes where nothing interferes: the shortest of a few attempts, if the first took too long.
fn duration(bytes: &[u8]) -> Duration {
    let timed = || {
        let start = Instant::now();
        if let Err(problem) = nat_bytes::check(bytes) {
            panic!("{}: {problem}", nat_bytes::shown(bytes));
        }
        start.elapsed()
    };
    let mut shortest = timed();
    for _ in 0..3 {
        if shortest >= LONGEST {
            shortest = shortest.min(timed());
        }
    }
    shortest
}
