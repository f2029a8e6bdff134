//! Whatever a candidate does while a program is tuned, and whatever happens to the tuner: nothing is
//! lost, and nothing wrong kept.

use lift::prelude::*;
use lift::tune::{self, Choice, Ended, Goal, Launcher, Limits, Outcome, Store, Tuning};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

lift! {
    /// Whose schedules are none: what is tuned is a number.
    pub fn blocked_sum<N, tune BLOCK: [1, 2, 4, 8, 16, 32]>(xs: [f32; N]) -> f32 {
        let blocks = map(|block| reduce(0.0, |a, x| a + x, block), split(BLOCK, xs));
        reduce(0.0, |a, x| a + x, blocks)
    }
}

/// What a worker is to do wrong; none by itself.
const FAULTS: &str = "LIFT_TUNE_FAULTS";

/// The test binary as a worker.
fn launcher() -> Launcher {
    let program = std::env::current_exe().expect("this test binary");
    Launcher { program, arguments: ["worker", "--exact", "--nocapture"].map(String::from).to_vec() }
}

/// No test by itself: where this binary is started as a worker, it is one from here on.
#[test]
fn worker() {
    tune::worker_with(fault);
}

/// Each block size but 1 and 32 goes wrong in a way of its own.
fn fault(choice: &Choice, result: &mut [u8]) {
    let are = |wanted| std::env::var(FAULTS).is_ok_and(|faults| faults == wanted);
    let (all, memory) = (are("all"), are("memory"));
    match choice.value("BLOCK") {
        _ if std::env::var_os(FAULTS).is_none() => {}
        Some(16) if memory => loop {
            std::mem::forget(std::hint::black_box(vec![1u8; 64 << 20]));
        },
        _ if memory => {}
        Some(2) => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Some(4) => std::process::abort(),
        Some(8) => result.copy_from_slice(&f32::NAN.to_ne_bytes()),
        _ if all => result[2] ^= 0x40,
        Some(16) => result[2] ^= 0x40,
        _ => {}
    }
}

fn limits() -> Limits {
    Limits { worker: Some(launcher()), candidate_time: Duration::from_secs(15), ..Limits::default() }
}

fn tuning(folder: &Path) -> Tuning {
    let tuning = blocked_sum::tuning(&Device::cpu(), blocked_sum::Sizes { N: 960 }).expect("it fits");
    tuning.stored(Some(Store::new(folder.join("tuned.txt"))))
}

/// Runs a test of this binary in a process of its own, which finds what it needs in variables.
fn in_child(test: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test binary"));
    command.args([test, "--exact", "--nocapture"]).envs(variables.iter().copied());
    command
}

lift! {
    /// The same in another way, one that forgets an element, and one that is of another type.
    pub fn halves<N>(xs: [f32; N]) -> f32 where N % 2 == 0 {
        reduce(0.0, |a, (x, y)| a + x + y, zip(take(N / 2, xs), drop(N / 2, xs)))
    }
    pub fn too_few<N>(xs: [f32; N]) -> f32 where N > 1 {
        reduce(0.0, |a, x| a + x, drop(1, xs))
    }
    pub fn doubled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + x, xs)
    }
}

#[test]
fn candidates_of_ones_own_are_checked_too() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (tuning, limits) = (tuning(folder.path()), limits());
    let mut trials = tuning.trials(&limits).expect("a worker");
    let mut outcome = |program: &lift::Program| {
        let sizes = lift::Sizes(vec![(program.sizes()[0].var.clone(), 960)]);
        let trial = trials.program(program, &sizes, None).expect("it runs").expect("there is time");
        assert!(trial.stages.generating > Duration::ZERO, "{trial:?}");
        trial.outcome
    };
    assert!(matches!(outcome(halves::program()), Outcome::Measured { bytes, .. } if bytes >= 961 * 4));
    assert!(matches!(outcome(too_few::program()), Outcome::Wrong(_)));
    let refused = outcome(doubled::program());
    assert!(matches!(&refused, Outcome::Refused(why) if why.contains("other ones")), "{refused:?}");
    let choice = "- BLOCK=32".parse().expect("a choice");
    let trial = trials.choice(&choice, None).expect("it runs").expect("there is time");
    assert!(matches!(trial.outcome, Outcome::Measured { .. }) && trial.stages.building > Duration::ZERO);
}

#[test]
fn a_fault_costs_its_candidate_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder_name = folder.path().display().to_string();
    let output = in_child("child_with_faults", &[(FAULTS, "each"), ("FOLDER", &folder_name)]).output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("all were tried"), "{said}");
}

#[test]
fn child_with_faults() {
    let Ok(folder) = std::env::var("FOLDER") else { return };
    let tuning = tuning(Path::new(&folder));
    let mut outcomes = vec![];
    let report = tuning.search(&limits(), |p| outcomes.push((p.choice.value("BLOCK"), p.outcome.clone())));
    let report = report.expect("two are sound");
    assert_eq!(report.ended, Ended::Exhausted);
    for (block, outcome) in &outcomes {
        let expected = match block {
            Some(2) => matches!(outcome, Outcome::Late),
            Some(4) => matches!(outcome, Outcome::Crashed(how) if how.contains("signal")),
            Some(8) => matches!(outcome, Outcome::Wrong(why) if why.contains("NaN")),
            Some(16) => matches!(outcome, Outcome::Wrong(_)),
            _ => matches!(outcome, Outcome::Measured { .. }),
        };
        assert!(expected, "{block:?}: {outcome:?}");
    }
    let counts = [report.tried, report.measured, report.wrong, report.late, report.crashed, report.refused];
    assert_eq!(counts, [6, 2, 2, 1, 1, 0]);
    let sound = |found: &tune::Found| matches!(found.choice.value("BLOCK"), Some(1 | 32));
    assert!(report.front.iter().all(sound) && !report.front.is_empty());
    assert_eq!(tuning.front(), report.front);
    println!("all were tried");
}

/// More memory than it is given ends a worker, and nothing else on the machine notices.
#[cfg(target_os = "linux")]
#[test]
fn a_candidate_that_takes_all_memory_costs_itself_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder_name = folder.path().display().to_string();
    let output = in_child("child_without_memory", &[(FAULTS, "memory"), ("FOLDER_OF_LARGE", &folder_name)]);
    let said = String::from_utf8_lossy(&{ output }.output().expect("it runs").stdout).into_owned();
    assert!(said.contains("one took too much"), "{said}");
}

#[test]
fn child_without_memory() {
    let Ok(folder) = std::env::var("FOLDER_OF_LARGE") else { return };
    let tuning = tuning(Path::new(&folder));
    let mut large = None;
    let limits = Limits { memory: Some(4 << 30), candidate_time: Duration::from_secs(60), ..limits() };
    let report = tuning.search(&limits, |p| {
        if p.choice.value("BLOCK") == Some(16) {
            large = Some(p.outcome.clone());
        }
    });
    let report = report.expect("five are sound");
    assert!(matches!(&large, Some(Outcome::Crashed(how)) if how.contains("memory allocation")), "{large:?}");
    assert_eq!([report.tried, report.measured, report.crashed], [6, 5, 1]);
    println!("one took too much");
}

#[test]
fn where_everything_is_wrong_nothing_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder_name = folder.path().display().to_string();
    let output = in_child("child_all_wrong", &[(FAULTS, "all"), ("FOLDER_OF_WRONG", &folder_name)]).output();
    let said = String::from_utf8_lossy(&output.expect("it runs").stdout).into_owned();
    assert!(said.contains("nothing was right"), "{said}");
    assert!(!folder.path().join("tuned.txt").exists());
}

#[test]
fn child_all_wrong() {
    let Ok(folder) = std::env::var("FOLDER_OF_WRONG") else { return };
    let limits = Limits { candidate_time: Duration::from_secs(5), ..limits() };
    let error = tuning(Path::new(&folder)).search(&limits, |_| {}).expect_err("all are wrong");
    assert!(matches!(error, lift::Error::NoCandidate { .. }), "{error}");
    println!("nothing was right");
}

/// A real Ctrl-C, to a process that hands it on as a flag.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_found() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder_name = folder.path().display().to_string();
    let mut command = in_child("child_interrupted", &[("FOLDER_OF_INTERRUPTED", &folder_name)]);
    let child = command.stdout(Stdio::piped()).spawn().expect("it runs");
    let store = Store::new(folder.path().join("tuned.txt"));
    let until = Instant::now() + Duration::from_secs(300);
    while store.read().expect("it can be read").fronts.is_empty() {
        assert!(Instant::now() < until, "nothing is found");
        std::thread::sleep(Duration::from_millis(50));
    }
    let before = store.read().expect("it can be read");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.expect("`kill` is there").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("stopped"), "{said}");
    let after = store.read().expect("it can be read");
    assert!(after.damaged.is_empty() && after.fronts.len() == before.fronts.len());
}

#[test]
fn child_interrupted() {
    let Ok(folder) = std::env::var("FOLDER_OF_INTERRUPTED") else { return };
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone()).expect("a handler");
    let tuning = tuning(Path::new(&folder));
    let waits = stop.clone();
    let limits = Limits { time: Duration::from_secs(600), stop, ..limits() };
    // After the first candidate nothing goes on before Ctrl-C comes.
    let waiting = |_: &tune::Progress| {
        while !waits.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let report = tuning.search(&limits, waiting).expect("one was measured");
    assert_eq!((report.ended, report.tried), (Ended::Stopped, 1));
    assert_eq!(tuning.front(), report.front);
    println!("stopped");
}

#[test]
fn what_can_not_be_kept_is_still_found() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    // A file is no folder.
    let tuning = tuning(file.path());
    let report = tuning.search(&Limits { candidates: 2, ..limits() }, |_| {}).expect("they are sound");
    assert_eq!((report.ended, report.measured), (Ended::Candidates, 2));
    let told = report.unsaved.expect("it can't be kept").to_string();
    assert!(told.contains("can't be written"), "{told}");
}

#[test]
fn found_once_it_is_there_at_once() -> Result<(), lift::Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tuning = tuning(folder.path());
    let report = tuning.search(&limits(), |_| {})?;
    let fastest = report.front.best().expect("there is one");
    let best = tuning.best(Goal::Fastest)?;
    assert_eq!(best.choice, fastest.choice);
    let xs: Array1<f32> = (0..960).map(|i| (i % 7) as f32).collect();
    let sum = best.compiled.run(&[(&xs).into()])?.remove(0).into_scalar::<f32>()?;
    assert_eq!(sum, xs.sum());
    // Other sizes begin with what was found for these.
    let like = blocked_sum::tuning(&Device::cpu(), blocked_sum::Sizes { N: 1920 })?;
    let like = like.stored(tuning.store().cloned());
    assert_eq!(like.best(Goal::Fastest)?.choice, fastest.choice);
    assert_eq!(like.candidates(3).next_candidate().as_ref(), Some(&fastest.choice));
    Ok(())
}
