//! Whatever a candidate does while a program is tuned, and whatever happens to the tuner: nothing is
//! lost, and nothing wrong kept.

#[path = "tune_faults/checked.rs"]
mod checked;
mod common;
#[cfg(unix)]
#[path = "tune_faults/interrupted.rs"]
mod interrupted;
#[path = "tune_faults/kernels.rs"]
mod kernels;
#[path = "tune_faults/networks.rs"]
mod networks;
#[path = "tune_faults/parts.rs"]
mod parts;
#[cfg(unix)]
#[path = "tune_faults/strangers.rs"]
mod strangers;
#[path = "tune_faults/workers.rs"]
mod workers;

use common::devices;
use lift::prelude::*;
use lift::tune::{self, Choice, Ended, Goal, Launcher, Limits, Outcome, Store, Tuning};
use lift::{Kind, Plan};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

lift! {
    /// Whose schedules are none, since its sums keep their order: what is tuned is a number.
    #[strict]
    pub fn blocked_sum<N, tune BLOCK: [1, 2, 4, 8, 16, 32]>(xs: [f32; N]) -> f32 {
        let blocks = map(|block| reduce(0.0, |a, x| a + x, block), split(BLOCK, xs));
        reduce(0.0, |a, x| a + x, blocks)
    }
}

/// What a worker is to do wrong; none by itself.
const FAULTS: &str = "LIFT_TUNE_FAULTS";

/// Where a search in a process of its own keeps what it finds, and which of the devices it is on.
const FOLDER: &str = "LIFT_TUNE_FOLDER";
const DEVICE: &str = "LIFT_TUNE_DEVICE";

/// Where a process of its own puts temporary files, in the folder that it is given.
const TEMPORARY: &str = "temporary";

/// The test binary as a worker.
fn launcher() -> Launcher {
    let program = std::env::current_exe().expect("this test binary");
    Launcher { program, arguments: ["worker", "--exact", "--nocapture"].map(String::from).to_vec() }
}

/// No test by itself: where this binary is started as a worker, it is one from here on.
#[test]
fn worker() {
    // SAFETY: only those that are to crash have indices outside.
    unsafe { tune::worker_with(fault) }
}

/// The kernels of each block size but 1 and 32 go wrong in a way of their own.
fn fault(choice: &Choice, plan: &mut Plan) {
    let Ok(faults) = std::env::var(FAULTS) else { return };
    match (&*faults, choice.value("BLOCK")) {
        ("memory", Some(16)) => loop {
            std::mem::forget(std::hint::black_box(vec![1u8; 64 << 20]));
        },
        ("memory" | "sound", _) => {}
        ("second", _) => checked::second_time(choice, plan),
        #[cfg(unix)]
        ("running" | "building", _) => interrupted::fault(&faults, plan),
        (_, Some(2)) => kernels::endless(plan),
        (_, Some(4)) => kernels::crashing(plan),
        (_, Some(8)) => kernels::not_a_number(plan),
        (_, Some(16)) | ("all", _) => kernels::one_too_many(plan),
        _ => {}
    }
}

/// The built-in device and pocl: kernels that never end may hang up a GPU.
fn tested() -> Vec<&'static Device> {
    let is_pocl = |device: &Device| device.to_string().contains("Portable Computing Language");
    devices::all().iter().filter(|d| d.kind() == Kind::BuiltIn || is_pocl(d)).collect()
}

fn limits() -> Limits {
    Limits { worker: Some(launcher()), candidate_time: Duration::from_secs(8), ..Limits::default() }
}

fn tuning_on(device: &Device, folder: &Path) -> Tuning {
    let tuning = blocked_sum::tuning(device, blocked_sum::Sizes { N: 960 }).expect("it fits");
    tuning.stored(Some(Store::new(folder.join("tuned.txt"))))
}

fn tuning(folder: &Path) -> Tuning {
    tuning_on(&Device::cpu(), folder)
}

/// Runs a test of this binary in a process of its own, with these faults and on the device of this number.
fn in_child(test: &str, faults: &str, folder: &Path, device: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test binary"));
    command.args([test, "--exact", "--nocapture"]).env(FAULTS, faults);
    command.env(FOLDER, folder).env(DEVICE, device.to_string()).stdout(Stdio::piped());
    std::fs::create_dir_all(folder.join(TEMPORARY)).expect("a folder");
    command.env("TMPDIR", folder.join(TEMPORARY));
    command
}

/// Workers and compilers that were ended have not left anything there.
fn nothing_is_left(folder: &Path) {
    let left: Vec<_> = folder.join(TEMPORARY).read_dir().expect("it is there").collect();
    assert!(left.is_empty(), "{left:?}");
}

/// What such a process is to tune; `None` where this is another.
fn given() -> Option<Tuning> {
    let folder = std::env::var_os(FOLDER)?;
    let device =
        std::env::var(DEVICE).ok().and_then(|number| tested().get(number.parse::<usize>().ok()?).copied());
    Some(tuning_on(device.expect("the number of a device"), Path::new(&folder)))
}

/// Runs such a test on the device of this number, in a folder of its own, and looks for what it says in the end.
fn on_device(number: usize, test: &str, faults: &str, said_in_the_end: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = in_child(test, faults, folder.path(), number).output().expect("it runs");
    let said = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat();
    assert!(output.status.success() && said.contains(said_in_the_end), "{}: {said}", tested()[number]);
    nothing_is_left(folder.path());
}

/// Runs it once on each device.
fn on_each_device(test: &str, faults: &str, said_in_the_end: &str) {
    (0..tested().len()).for_each(|number| on_device(number, test, faults, said_in_the_end));
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
        let trial = trials.program(program, &sizes).expect("it runs").expect("there is time");
        assert!(trial.stages.generating > Duration::ZERO, "{trial:?}");
        trial.outcome
    };
    assert!(matches!(outcome(halves::program()), Outcome::Measured { bytes, .. } if bytes >= 961 * 4));
    assert!(matches!(outcome(too_few::program()), Outcome::Wrong(_)));
    let refused = outcome(doubled::program());
    assert!(matches!(&refused, Outcome::Refused(why) if why.contains("other ones")), "{refused:?}");
    let choice = "- BLOCK=32".parse().expect("a choice");
    let trial = trials.choice(&choice).expect("it runs").expect("there is time");
    assert!(matches!(trial.outcome, Outcome::Measured { .. }) && trial.stages.building > Duration::ZERO);
}

lift! {
    /// Of whole numbers it is more than an `f32` can hold, though not more than an `f64`.
    pub fn grown<N>(xs: [f32; N]) -> f32 {
        exp(reduce(0.0, |a, x| a + x, xs))
    }
    pub fn grown_too_little<N>(xs: [f32; N]) -> f32 where N > 1 {
        exp(reduce(0.0, |a, x| a + x, drop(1, xs)))
    }
}

/// The inputs that candidates are checked with have results which the program's own floats can hold.
#[test]
fn what_grows_is_checked_too() {
    let limits = limits();
    let tuning = grown::tuning(&Device::cpu(), grown::Sizes { N: 960 }).expect("it fits").stored(None);
    let mut trials = tuning.trials(&limits).expect("a worker");
    let mut outcome = |program: &lift::Program| {
        let sizes = lift::Sizes(vec![(program.sizes()[0].var.clone(), 960)]);
        trials.program(program, &sizes).expect("it runs").expect("there is time").outcome
    };
    let (right, wrong) = (outcome(grown::program()), outcome(grown_too_little::program()));
    assert!(matches!(right, Outcome::Measured { .. }), "{right:?}");
    assert!(matches!(wrong, Outcome::Wrong(_)), "{wrong:?}");
}

#[test]
fn a_fault_costs_its_candidate_only() {
    on_each_device("child_with_faults", "each", "all were tried");
}

#[test]
fn child_with_faults() {
    let Some(tuning) = given() else { return };
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
    // Reasons are told, each with one that failed for it, and so is why there were no other forms.
    assert_eq!(report.failures.count(), report.wrong + report.crashed);
    let (told, schedules) = (report.to_string(), report.not_applicable.len());
    assert!(report.failures.iter().all(|failure| told.contains(&failure.to_string())), "{told}");
    assert!(told.contains("`- BLOCK=8`") && told.contains("`- BLOCK=4`"), "{told}");
    assert_eq!(schedules, lift::schedules::SCHEDULES.len(), "{told}");
    assert!(report.not_applicable.iter().all(|refusal| told.contains(&refusal.to_string())), "{told}");
    let sound = |found: &tune::Found| matches!(found.choice.value("BLOCK"), Some(1 | 32));
    assert!(report.front.iter().all(sound) && !report.front.is_empty());
    assert_eq!(tuning.front(), report.front);
    println!("all were tried");
}

/// More memory than it is given ends a worker, and nothing else on the machine notices.
#[cfg(target_os = "linux")]
#[test]
fn a_candidate_that_takes_all_memory_costs_itself_only() {
    on_device(0, "child_without_memory", "memory", "one took too much");
}

#[test]
fn child_without_memory() {
    let Some(tuning) = given() else { return };
    let mut large = None;
    let limits = Limits { memory: Some(1 << 30), candidate_time: Duration::from_secs(60), ..limits() };
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
    on_each_device("child_all_wrong", "all", "nothing was right");
}

#[test]
fn child_all_wrong() {
    let Some(tuning) = given() else { return };
    let limits = Limits { candidate_time: Duration::from_secs(5), ..limits() };
    let error = tuning.search(&limits, |_| {}).expect_err("all are wrong");
    assert!(matches!(error, lift::Error::NoCandidate { .. }), "{error}");
    assert!(!tuning.store().expect("it has one").path().exists());
    println!("nothing was right");
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

lift! {
    /// Windows of one element are sums of one product.
    pub fn windows<N, K>(xs: [f32; N], ys: [f32; K]) -> [f32; N - K + 1] where K <= N {
        map(|window| reduce(0.0, |a, (x, y)| a + x * y, zip(window, ys)), slide(K, 1, xs))
    }
}

/// Where a size is 1, forms have the number in its place.
#[test]
fn sizes_of_one_are_searched() -> Result<(), lift::Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tuning = windows::tuning(&Device::cpu(), windows::Sizes { N: 960, K: 1 })?;
    let tuning = tuning.stored(Some(Store::new(folder.path().join("tuned.txt"))));
    let report = tuning.search(&Limits { candidates: 3, ..limits() }, |_| {})?;
    assert!(report.measured > 0, "{report:?}");
    Ok(())
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
