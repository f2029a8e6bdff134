//! Workers that do not start, or not again.

use crate::{given, launcher, limits, on_device};
use lift::tune::{Ended, Launcher, Limits};
use std::time::Duration;

/// What tuned the program is gone when a worker has to be started again.
#[test]
fn one_that_does_not_start_again_ends_the_search_and_loses_nothing() {
    on_device(0, "workers::child_whose_worker_goes", "each", "what was found is there");
}

#[test]
fn child_whose_worker_goes() {
    let Some(tuning) = given() else { return };
    let own = tempfile::tempdir().expect("a temporary folder");
    let program = own.path().join("worker");
    std::fs::copy(launcher().program, &program).expect("a program can be copied");
    let worker = Some(Launcher { program: program.clone(), ..launcher() });
    let limits = Limits { worker, workers: 1, candidate_time: Duration::from_secs(5), ..limits() };
    let report = tuning.search(&limits, |p| {
        if p.best.is_some() && program.exists() {
            std::fs::remove_file(&program).expect("it can be removed");
        }
    });
    let report = report.expect("two are sound, and one of them was tried before it was gone");
    assert!(matches!(&report.ended, Ended::Lost(why) if why.contains("can't be started")), "{report}");
    assert!(report.measured > 0 && !report.front.is_empty(), "{report}");
    assert_eq!(tuning.front(), report.front);
    println!("what was found is there");
}

/// A machine may have room for some of them only.
#[cfg(unix)]
#[test]
fn as_many_as_start_are_enough() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tests = launcher();
    // The first two that can make a folder of their own are started.
    let script = r#"mkdir "$0/a" 2>/dev/null || mkdir "$0/b" 2>/dev/null || exit 1; exec "$@""#;
    let mut arguments = vec!["-c".into(), script.into(), folder.path().display().to_string()];
    arguments.push(tests.program.display().to_string());
    arguments.extend(tests.arguments);
    let worker = Some(Launcher { program: "sh".into(), arguments });
    let tuning = crate::tuning(folder.path());
    let report = tuning.search(&Limits { worker, workers: 4, ..limits() }, |_| {}).expect("two start");
    assert_eq!((report.ended.clone(), report.tried, report.measured), (Ended::Exhausted, 6, 6), "{report}");
    let none = Some(Launcher { program: "false".into(), arguments: vec![] });
    let error = tuning.search(&Limits { worker: none, workers: 4, ..limits() }, |_| {});
    let error = error.expect_err("none starts").to_string();
    assert!(error.contains("exit status: 1"), "{error}");
}
