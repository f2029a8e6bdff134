//! Processes that are told to be workers by somebody else than a tuner, folders that killed tuners left, and programs
//! that are not the same any more when they are started again.

use crate::{
    DEVICE, FAULTS, FOLDER, TEMPORARY, given, in_child, interrupted, launcher, limits, nothing_is_left,
};
use lift::tune::{self, Launcher, Limits};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set in a process that is to be a worker.
const VARIABLE: &str = "LIFT_TUNE_WORKER";

/// More memory for a thread's stack than there are addresses: no thread can be made.
const NO_THREADS: (&str, &str) = ("RUST_MIN_STACK", "140737488355328");

fn script(path: &Path, text: &str) {
    std::fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).expect("it can be run");
}

/// Runs this binary as a worker of a folder, beside another process of its group; what is said.
fn told_to_be_a_worker(folder: &Path, input: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", r#""$@" 2>&1; echo "others survive""#, "sh"]);
    command.arg(launcher().program).args(launcher().arguments);
    command.env(VARIABLE, folder).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    let mut process = command.spawn().expect("there is a shell");
    let told = std::io::Write::write_all(&mut process.stdin.take().expect("a pipe"), input.as_bytes());
    // It may have ended before it read anything.
    drop(told);
    String::from_utf8_lossy(&process.wait_with_output().expect("it ends").stdout).into_owned()
}

/// Whoever sets a variable does not have a folder removed, or processes ended.
#[test]
fn who_is_started_by_nobody_touches_nothing() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let folder = parent.path().join("lift-worker-precious");
    std::fs::create_dir(&folder).expect("a folder");
    let mine = folder.join("mine");
    std::fs::write(&mine, "").expect("a file");
    let survives = |why: &str, input: &str| {
        let said = told_to_be_a_worker(&folder, input);
        assert!(said.contains("others survive") && mine.exists(), "{why}: {said}");
        assert!(said.contains(VARIABLE) && said.contains("no tuner started this process"), "{why}: {said}");
    };
    survives("it is not private", "");
    std::fs::set_permissions(&folder, Permissions::from_mode(0o700)).expect("it is ours");
    survives("it has no token", "\n");
    let token = "lift worker lift-worker-precious 0123\n";
    std::fs::write(folder.join("token"), "another\n").expect("a file");
    survives("its token is another's", "another\n");
    std::fs::write(folder.join("token"), token).expect("a file");
    survives("nothing is said", "");
    survives("something else is said", "lift worker lift-worker-precious 0124\n");
    // A tuner that sends the token and is gone: the worker tidies up, and its group is another's.
    let said = told_to_be_a_worker(&folder, token);
    assert!(said.contains("others survive") && !folder.exists(), "{said}");
}

/// A tuner and its worker are killed, so that neither tidies up: the next search does.
#[test]
fn what_the_killed_left_is_swept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut tuner = interrupted::while_running(folder.path());
    let of_tuner = |id: &u32| *id != tuner.id();
    let workers: Vec<u32> = interrupted::processes_with(folder.path()).into_iter().filter(of_tuner).collect();
    // Stopped, they see nothing of the tuner's end.
    let all = |signal: &str, processes: &[u32]| {
        let processes = processes.iter().map(u32::to_string);
        // A compiler may have ended by itself.
        Command::new("kill").arg(signal).args(processes).status().expect("`kill` is there");
    };
    all("-STOP", &workers);
    all("-KILL", &[tuner.id()]);
    tuner.wait().expect("it ends");
    all("-KILL", &workers);
    interrupted::wait_until("a worker goes on", || interrupted::processes_with(folder.path()).is_empty());
    let temporary = folder.path().join(TEMPORARY);
    assert!(temporary.read_dir().expect("it is there").count() > 0);
    std::fs::remove_file(folder.path().join("tuned.txt")).expect("something was found");
    let output = in_child("strangers::child", "sound", folder.path(), 0).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("one was tried"), "{said}");
    nothing_is_left(folder.path());
}

#[test]
fn child() {
    let Some(tuning) = given() else { return };
    let report = tuning.search(&Limits { candidates: 1, ..limits() }, |_| {}).expect("it is sound");
    assert_eq!(report.measured, 1);
    println!("one was tried");
}

/// An upgrade puts another file into a program's place. What is started again is the program that runs, neither the
/// other nor a file that bears the name by which Linux calls what was removed.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_was_replaced_is_started_again_as_it_was() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("program");
    std::fs::copy(launcher().program, &program).expect("a program can be copied");
    std::fs::create_dir(folder.path().join(TEMPORARY)).expect("a folder");
    let mut command = Command::new(&program);
    command.args(["strangers::child_that_is_replaced", "--exact", "--nocapture"]).env(FAULTS, "sound");
    let output = command.env(FOLDER, folder.path()).env(DEVICE, "0").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("it was itself"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn child_that_is_replaced() {
    let Some(tuning) = given() else { return };
    tune::worker();
    let program = std::env::current_exe().expect("this test binary");
    let executed = program.with_file_name("executed");
    std::fs::remove_file(&program).expect("it can be removed");
    let name = program.display().to_string();
    for other in [name.clone(), name + " (deleted)"] {
        script(Path::new(&other), &format!("touch '{}'", executed.display()));
    }
    let worker = Some(Launcher { arguments: launcher().arguments, ..Launcher::this().expect("a program") });
    let report = tuning.search(&Limits { worker, candidates: 1, ..limits() }, |_| {}).expect("it starts");
    assert!(report.measured == 1 && !executed.exists());
    println!("it was itself");
}

/// Without threads of its own a tuner says so, and so does a worker.
#[test]
fn without_threads_a_search_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = in_child("strangers::child_without_threads", "sound", folder.path(), 0);
    let (name, value) = NO_THREADS;
    let output = command.env(name, value).arg("--test-threads=1").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("no thread can be started for a worker's"), "{said}");
    nothing_is_left(folder.path());
    let tests = launcher();
    let mut arguments = vec!["-c".into(), format!(r#"{name}={value} exec "$0" "$@""#)];
    arguments.push(tests.program.display().to_string());
    arguments.extend(tests.arguments);
    arguments.push("--test-threads=1".into());
    let worker = Some(Launcher { program: "sh".into(), arguments });
    let tuning = crate::tuning(folder.path());
    let error = tuning.search(&Limits { worker, ..limits() }, |_| {}).expect_err("it does not start");
    assert!(error.to_string().contains("no thread can be started for a tuner's tasks"), "{error}");
}

#[test]
fn child_without_threads() {
    let Some(tuning) = given() else { return };
    if std::env::var_os(NO_THREADS.0).is_none() {
        return;
    }
    let error = tuning.search(&limits(), |_| {}).expect_err("nobody listens to a worker");
    println!("{error}");
}

/// A worker that never ends its line, and one that says the same for ever, do not fill the tuner's memory.
#[test]
fn what_a_worker_says_without_end_is_not_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ready = "\u{1e}lift \"Ready\"";
    for (says, expected) in [
        ("head -c 200000000 /dev/zero; exit 3".to_string(), "exit status: 3"),
        (format!("yes '{ready}'"), "answers what it was not asked"),
    ] {
        let worker = Some(Launcher { program: "sh".into(), arguments: vec!["-c".into(), says] });
        let tuning = crate::tuning(folder.path());
        let before = peak();
        let error =
            tuning.search(&Limits { worker, workers: 1, ..limits() }, |_| {}).expect_err("it is none");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(peak() - before < 150_000, "{} KiB", peak() - before);
    }
}

/// The most memory that this process ever had, in KiB.
fn peak() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0");
    line.trim().trim_end_matches("kB").trim().parse().unwrap_or(0)
}
