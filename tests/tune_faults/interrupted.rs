//! A real Ctrl-C, to a process that hands it on as a flag: between candidates, and while one is built or runs. And the
//! end of such a process that is told nothing.

use crate::{FAULTS, FOLDER, given, in_child, kernels, limits, nothing_is_left, tested};
use lift::Plan;
use lift::tune::{Ended, Limits, Progress, Store};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More than any of this takes, and less than it would take to wait for the candidate.
const PATIENCE: Duration = Duration::from_secs(120);

/// A worker that is about to build what never ends makes this file.
const AT_WORK: &str = "at work";

/// From when something is kept, kernels never end, or take long to be built.
pub fn fault(faults: &str, plan: &mut Plan) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    if folder.join("tuned.txt").exists() {
        kernels::endless(plan);
        if faults == "building" {
            kernels::long(plan);
        }
        std::fs::write(folder.join(AT_WORK), "").expect("it can be written");
    }
}

/// Waits until something is true.
pub fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_true() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A search on a device, so long after something shows that it is time.
fn at_work(faults: &str, sign: &str, later: Duration, folder: &Path, number: usize) -> Child {
    let child = in_child("interrupted::child", faults, folder, number).spawn().expect("it runs");
    wait_until(&format!("device {number}: there is no `{sign}`"), || folder.join(sign).exists());
    std::thread::sleep(later);
    child
}

fn signal(signal: &str, child: &Child) {
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("`kill` is there").success());
}

/// Interrupts a search on each device, so long after something shows that it is time.
fn interrupted(faults: &str, sign: &str, later: Duration) {
    for (number, device) in tested().into_iter().enumerate() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let child = at_work(faults, sign, later, folder.path(), number);
        let store = Store::new(folder.path().join("tuned.txt"));
        let before = store.read().expect("it can be read");
        signal("-INT", &child);
        let interrupted = Instant::now();
        let output = child.wait_with_output().expect("it ends");
        println!("{device}: it ended {:?} after Ctrl-C", interrupted.elapsed());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && said.contains("stopped"), "{device}: {said}");
        assert!(interrupted.elapsed() < PATIENCE, "{device}");
        let after = store.read().expect("it can be read");
        assert!(before.fronts.len() == 1 && before.fronts == after.fronts && after.damaged.is_empty());
        assert_eq!(processes_with(folder.path()), [0; 0], "{device}: a worker or its compiler goes on");
        nothing_is_left(folder.path());
    }
}

/// The processes of the search that keeps what it finds here.
pub fn processes_with(folder: &Path) -> Vec<u32> {
    let wanted = format!("{FOLDER}={}", folder.display());
    let Ok(processes) = std::fs::read_dir("/proc") else { return vec![] };
    let is_of_it = |process: &std::fs::DirEntry| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|variable| variable == wanted.as_bytes())
    };
    let of_it = processes.filter_map(Result::ok).filter(is_of_it);
    of_it.filter_map(|process| process.file_name().to_str()?.parse().ok()).collect()
}

/// A search on the built-in device while a kernel runs that never ends.
pub fn while_running(folder: &Path) -> Child {
    at_work("running", AT_WORK, Duration::from_millis(300), folder, 0)
}

#[test]
fn ctrl_c_between_candidates_keeps_what_was_found() {
    interrupted("none", "tuned.txt", Duration::ZERO);
}

#[test]
fn ctrl_c_while_a_kernel_runs_keeps_what_was_found() {
    interrupted("running", AT_WORK, Duration::from_secs(3));
}

#[test]
fn ctrl_c_while_a_kernel_is_built_keeps_what_was_found() {
    interrupted("building", AT_WORK, Duration::from_millis(300));
}

/// Nobody is there any more to end its workers, and to tidy up after them.
#[test]
fn a_tuner_that_is_killed_leaves_nothing_behind() {
    for faults in ["running", "building"] {
        for (number, device) in tested().into_iter().enumerate() {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let mut child = at_work(faults, AT_WORK, Duration::from_millis(300), folder.path(), number);
            signal("-KILL", &child);
            child.wait().expect("it ends");
            wait_until(&format!("{device}, {faults}: a worker or its compiler goes on"), || {
                processes_with(folder.path()).is_empty()
            });
            nothing_is_left(folder.path());
            let store = Store::new(folder.path().join("tuned.txt")).read().expect("it can be read");
            assert!(store.fronts.len() == 1 && store.damaged.is_empty(), "{device}, {faults}");
        }
    }
}

#[test]
fn child() {
    let stop = Arc::new(AtomicBool::new(false));
    if std::env::var_os(FOLDER).is_some() {
        // Before a driver has a handler of its own, which may end the process.
        signal_hook::flag::register(signal_hook::consts::SIGINT, stop.clone()).expect("a handler");
    }
    let Some(tuning) = given() else { return };
    let waits = stop.clone();
    let between = std::env::var(FAULTS).is_ok_and(|faults| faults == "none");
    // After the first candidate nothing goes on before Ctrl-C comes, or the next never ends.
    let waiting = |_: &Progress| {
        while between && !waits.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let (time, candidate_time) = (10 * PATIENCE, 5 * PATIENCE);
    let limits = Limits { time, candidate_time, workers: 1, stop, ..limits() };
    let report = tuning.search(&limits, waiting).expect("one was measured");
    assert_eq!((report.ended, report.tried), (Ended::Stopped, 1));
    assert_eq!(tuning.front(), report.front);
    println!("stopped");
}
