//! The store of what tuning found: damaged, full, shared, of another version; and the order of the
//! search, without a device.

use lift::prelude::*;
use lift::tune::{Choice, Found, Front, Goal, Key, Limits, Search, Store, Tuning};
use lift::{Error, Settings};
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

lift! {
    pub fn product<N, M, L>(xs: [[f32; L]; N], ys: [[f32; L]; M]) -> [[f32; M]; N] {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), xs)
    }

    /// A size and a `tune` parameter that are called as parameters of `blocked` are.
    pub fn called<N, M, W, tune V: [1, 2]>(xs: [[f32; W]; N], ys: [[f32; W]; M]) -> [[f32; M]; N]
    where
        N % V == 0,
    {
        map(|x| map(|y| reduce(0.0, |a, (p, q)| a + p * q, zip(x, y)), ys), join(split(V, xs)))
    }

    /// A convolution along a line: the padded line can be kept in memory, or not.
    pub fn row<K, C, N>(kernels: [[[f32; C]; 3]; K], input: [[f32; C]; N]) -> [[f32; K]; N] {
        let padded = pad(1, 1, 0.0, input);
        map(
            |window| map(|k| reduce(0.0, |a, (x, w)| a + x * w, zip(join(window), join(k))), kernels),
            slide(3, 1, padded),
        )
    }
}

fn key(n: usize) -> Key {
    Key::new("product 0123".into(), format!("N={n} M=4 L=4"), "a | device", "version 1")
}

/// The more memory, the less time: all of these are on the front.
fn found(k: u64) -> Found {
    let choice = format!("blocked ragged GM={} TN=4", k + 1).parse().expect("a choice");
    Found { choice, time: Duration::from_nanos(1_000_000 - k), bytes: 1000 + k as usize }
}

fn one(k: u64) -> Front {
    [found(k)].into_iter().collect()
}

#[test]
fn what_is_kept_comes_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("deeper/tuned.txt"));
    assert!(store.read().expect("there is none").fronts.is_empty());
    for k in 0..5 {
        store.merge(&key(k as usize % 2), &one(k)).expect("it is written");
    }
    let table = store.read().expect("it can be read");
    assert!(table.damaged.is_empty());
    let kept: Vec<_> =
        table.fronts.iter().map(|(key, front)| (key.sizes.as_str(), front.iter().len())).collect();
    assert_eq!(kept, [("N=0 M=4 L=4", 3), ("N=1 M=4 L=4", 2)]);
    let text = std::fs::read_to_string(store.path()).expect("it is text");
    assert!(text.contains("product 0123 | N=1 M=4 L=4 | a / device | version 1 | 999999 ns | 1001 bytes | blocked ragged GM=2 TN=4 | "));
    store.remove(&key(1), &found(1).choice).expect("it is written");
    assert_eq!(store.read().expect("it can be read").fronts[&key(1)].iter().len(), 1);
}

/// Wherever it is cut off, and whatever byte is changed: what is believed was written so.
/// A schedule's parameters have the schedule's names, whatever the program's own are called.
#[test]
fn names_of_parameters_are_the_schedules_own() -> Result<(), Error> {
    let sizes = called::Sizes { N: 16, M: 16, W: 16 };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = called::tuning(&Device::cpu(), sizes)?.stored(Some(store.clone()));
    let text = "blocked program.V=2 GM=2 GN=2 TM=4 TN=4 BK=4 W=2 V=4 P=0";
    let choice: Choice = text.parse().expect("a choice");
    assert_eq!(choice.to_string(), text);
    // Both values are used, each for its own.
    let compiled = tuning.build(&choice)?;
    let value = |name: &str| {
        let named = compiled.plan().sizes.iter().filter(|(var, _)| &*var.name == name);
        named.map(|(_, value)| *value).collect::<Vec<_>>()
    };
    assert_eq!((value("V"), value("W")), (vec![2, 4], vec![16, 2]));
    let [xs, ys] = [3, 5].map(|k| Array2::from_shape_fn((16, 16), |(i, j)| ((i * k + j) % 7) as f32));
    let got = compiled.run(&[(&xs).into(), (&ys).into()])?.remove(0).into_array::<f32>()?;
    assert_eq!(got, xs.dot(&ys.t()).into_dyn());
    // What is stored comes back, is known, and is the best.
    let kept = |text: &str| {
        let choice = text.parse().expect("a choice");
        let found = Found { choice, time: Duration::from_nanos(1), bytes: compiled.bytes() };
        let front = [found].into_iter().collect();
        std::fs::remove_file(store.path()).ok();
        store.merge(tuning.key(), &front).expect("it is written");
        tuning.front().iter().map(|found| found.choice.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(kept(text), [text]);
    assert_eq!(tuning.best(Goal::Fastest)?.choice, choice);
    // An older version's name for a parameter is read as that; where both were taken, nothing is mistaken for another.
    let sizes_only = "blocked ragged GM=2 GN=2 TM=4 TN=4 BK=4 W_=2 P=0";
    assert_eq!(kept(sizes_only), [sizes_only.replace("W_", "W")]);
    let both = "blocked V=2 GM=2 GN=2 TM=4 TN=4 BK=4 W_=2 V_=4 P=0";
    assert_eq!(kept(both), [both.replace("W_", "W")]);
    let error = tuning.build(&both.replace("W_", "W").parse().expect("a choice")).err();
    assert!(error.is_some_and(|e| e.to_string().contains("there is no parameter `V_`")));
    assert_ne!(tuning.best(Goal::Fastest)?.choice.to_string(), both.replace("W_", "W"));
    Ok(())
}

#[test]
fn damage_is_noticed_and_set_aside() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let all: Front = (0..3).map(found).collect();
    store.merge(&key(1), &all).expect("it is written");
    let whole = std::fs::read(store.path()).expect("it is there");
    let sound = |bytes: &[u8]| {
        std::fs::write(store.path(), bytes).expect("it is written");
        let table = store.read().expect("it can be read");
        assert!(table.fronts.keys().all(|k| *k == key(1)));
        let believed: Vec<Found> = table.fronts.values().flat_map(|front| front.iter().cloned()).collect();
        assert!(believed.iter().all(|f| all.iter().any(|known| known == f)), "{believed:?}");
        (believed.len(), table.damaged.len())
    };
    for length in 0..whole.len() {
        let (believed, damaged) = sound(&whole[..length]);
        let lines = whole[..length].iter().filter(|b| **b == b'\n').count();
        assert_eq!(believed, lines.saturating_sub(1), "cut to {length} bytes");
        assert!(damaged == 1 || length == 0 || whole[length - 1] == b'\n' || lines == 0);
    }
    let header = whole.iter().position(|b| *b == b'\n').expect("a line") + 1;
    for at in header..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let (believed, damaged) = sound(&changed);
        assert!(believed < 3 && damaged > 0, "byte {at}");
    }
    // The next who writes keeps it as it is, and goes on with what is sound.
    let mut changed = whole.clone();
    let last = changed.len() - 2;
    changed[last] ^= 1;
    std::fs::write(store.path(), &changed).expect("it is written");
    store.merge(&key(2), &one(7)).expect("it is written");
    let table = store.read().expect("it can be read");
    assert_eq!((table.damaged.len(), table.fronts[&key(1)].iter().len(), table.fronts.len()), (0, 2, 2));
    let names = std::fs::read_dir(folder.path()).expect("a folder").filter_map(Result::ok);
    let mut aside = names.map(|e| e.path()).filter(|p| p.display().to_string().contains("damaged"));
    let aside = aside.next().expect("it is set aside");
    assert_eq!(std::fs::read(aside).expect("it is there"), changed);
}

/// This test in a process of its own, with a variable that says what to do there.
fn child(test: &str, variable: &str, value: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test binary"));
    command.args([test, "--exact", "--nocapture"]).env(variable, value).stdout(Stdio::piped());
    command
}

const WRITES: u64 = 200;

#[test]
fn two_writers_lose_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tuned.txt").display().to_string();
    let start = |who: u64| child("writer", "WRITER", &format!("{who} {path}")).spawn().expect("it runs");
    let both: Vec<Child> = [0, 1].map(start).into_iter().collect();
    for mut writer in both {
        assert!(writer.wait().expect("it ends").success());
    }
    let table = Store::new(&path).read().expect("it can be read");
    let times: BTreeSet<_> = table.fronts[&key(1)].iter().map(|f| f.time).collect();
    assert_eq!((times.len() as u64, table.damaged.len()), (2 * WRITES, 0));
}

#[test]
fn writer() {
    let Ok(task) = std::env::var("WRITER") else { return };
    let (who, path) = task.split_once(' ').expect("a number and a path");
    let (who, store) = (who.parse::<u64>().expect("a number"), Store::new(path));
    for k in 0..WRITES {
        store.merge(&key(1), &one(2 * k + who)).expect("it is written");
        assert!(store.read().expect("it can be read").damaged.is_empty());
    }
}

/// A disk of a few pages, in a namespace of its own; where the system allows none, the test below has to do.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_what_there_was() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mounted = "mount -t tmpfs -o size=48k none \"$FILLED\" &&";
    let run = |then: &str| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &format!("{mounted} {then}")]);
        command.arg(std::env::current_exe().expect("this test binary"));
        command.env("FILLED", folder.path()).output()
    };
    if !run("true").is_ok_and(|output| output.status.success()) {
        println!("no file system can be mounted here");
        return;
    }
    let output = run("exec \"$0\" fills --exact --nocapture").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("can't be written"), "{said}");
    println!("on a tmpfs of 48 KiB: {}", said.lines().find(|l| l.contains("full after")).unwrap_or_default());
}

#[test]
fn fills() {
    let Some(folder) = std::env::var_os("FILLED").map(std::path::PathBuf::from) else { return };
    let store = Store::new(folder.join("tuned.txt"));
    let mut before = vec![];
    for k in 0..10_000 {
        match store.merge(&key(1), &one(k)) {
            Ok(()) => before = std::fs::read(store.path()).expect("it is there"),
            Err(error) => {
                assert!(k > 10 && std::fs::read(store.path()).expect("it is there") == before, "after {k}");
                let names = std::fs::read_dir(&folder).expect("a folder").filter_map(Result::ok);
                let mut names: Vec<_> = names.map(|e| e.file_name().into_string().expect("a name")).collect();
                names.sort();
                assert_eq!(names, ["tuned.txt", "tuned.txt.lock"], "nothing half written is left");
                let kept = store.read().expect("it can be read");
                assert_eq!((kept.damaged.len(), kept.fronts[&key(1)].iter().len()), (0, k as usize));
                println!("full after {k}: {error}");
                return;
            }
        }
    }
    panic!("the disk is never full");
}

/// A process that may write no byte to any file stands for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_there_was() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    store.merge(&key(1), &one(1)).expect("it is written");
    let before = std::fs::read(store.path()).expect("it is there");
    let binary = std::env::current_exe().expect("this test binary");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" full --exact --nocapture"]).arg(binary);
    let output = command.env("FULL", store.path()).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.contains("can't be written"), "{said}");
    assert_eq!(std::fs::read(store.path()).expect("it is there"), before);
    let names = std::fs::read_dir(folder.path()).expect("a folder").filter_map(Result::ok);
    let mut names: Vec<_> = names.map(|e| e.file_name().into_string().expect("a name")).collect();
    names.sort();
    assert_eq!(names, ["tuned.txt", "tuned.txt.lock"], "nothing half written is left");
}

#[test]
fn full() {
    let Ok(path) = std::env::var("FULL") else { return };
    println!("{}", Store::new(path).merge(&key(1), &one(2)).expect_err("the disk is full"));
}

/// A store has other files beside it: none of them is ever what somebody else wants it to be.
#[cfg(unix)]
#[test]
fn links_lead_where_they_did() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("precious"), "precious").expect("it is written");
    std::fs::create_dir(path("real")).expect("a folder");
    symlink("real/store.txt", path("tuned.txt")).expect("a link");
    let store = Store::new(path("tuned.txt"));
    for k in 0..2 {
        store.merge(&key(1), &one(k)).expect("it is written");
        assert!(path("tuned.txt").is_symlink() && path("real/store.txt").is_file());
    }
    assert_eq!(store.read().expect("it can be read").fronts[&key(1)].iter().len(), 2);
    assert_eq!(
        Store::new(path("real/store.txt")).read().expect("it is the same"),
        store.read().expect("it is")
    );

    symlink("precious", path("other.txt.lock")).expect("a link");
    let error = Store::new(path("other.txt")).merge(&key(1), &one(1)).expect_err("that is no lock");
    assert!(error.to_string().contains("other.txt can't be written"), "{error}");
    // What is damaged is set aside as a file, not into one.
    std::fs::write(path("real/store.txt"), "damaged").expect("it is written");
    let names =
        || std::fs::read_dir(path("real")).expect("a folder").filter_map(Result::ok).map(|e| e.path());
    store.merge(&key(1), &one(1)).expect("it is written");
    let aside = names().find(|p| p.display().to_string().contains("damaged")).expect("it is set aside");
    std::fs::remove_file(&aside).expect("it is there");
    symlink(path("precious"), &aside).expect("a link");
    std::fs::write(path("real/store.txt"), "damaged").expect("it is written");
    store.merge(&key(1), &one(1)).expect("it is written");
    assert_eq!(std::fs::read_to_string(&aside).expect("it is there"), "damaged");
    assert_eq!(std::fs::read_to_string(path("precious")).expect("it is there"), "precious");
}

#[cfg(unix)]
#[test]
fn a_store_is_a_regular_file_of_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let refused = |path: &std::path::Path, why: &str| {
        let store = Store::new(path);
        for error in [store.read().err(), store.merge(&key(1), &one(1)).err()] {
            let error = error.expect("it is refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    };
    refused(folder.path(), "no regular file");
    assert!(Command::new("mkfifo").arg(path("pipe")).status().expect("it runs").success());
    refused(&path("pipe"), "no regular file");
    std::os::unix::fs::symlink("/dev/zero", path("zeros")).expect("a link");
    assert!(
        Store::new(path("zeros")).read().expect_err("it never ends").to_string().contains("no regular file")
    );
    let huge = std::fs::File::create(path("huge")).and_then(|file| file.set_len(1 << 40));
    huge.expect("a file of a terabyte, all of it a hole");
    refused(&path("huge"), "bytes; ");

    let store = Store::new(path("new/tuned.txt"));
    store.merge(&key(1), &one(1)).expect("it is written");
    let mode = |path: &std::path::Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
    let set = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    assert_eq!(["new", "new/tuned.txt", "new/tuned.txt.lock"].map(|p| mode(&path(p))), [0o700, 0o600, 0o600]);
    // Whom its owner lets read it may go on reading it.
    set(store.path(), 0o644);
    store.merge(&key(2), &one(2)).expect("it is written");
    assert_eq!(mode(store.path()), 0o644);
    set(store.path(), 0o666);
    refused(store.path(), "others may write to");
    set(store.path(), 0o600);
    set(&path("new"), 0o777);
    refused(store.path(), "others may write to");
}

fn tuning(device: &Device, store: &Store) -> Tuning {
    let tuning = product::tuning(device, product::Sizes { N: 8, M: 16, L: 8 }).expect("it fits");
    tuning.stored(Some(store.clone()))
}

/// A device that remembers nothing from other tests.
fn device(folder: &tempfile::TempDir) -> Device {
    Device::cpu_with(&Settings { cache: Some(folder.path().join("cache")), ..Settings::default() })
}

fn at(choice: &str, nanoseconds: u64) -> Found {
    Found {
        choice: choice.parse().expect("a choice"),
        time: Duration::from_nanos(nanoseconds),
        bytes: 10_000 - nanoseconds as usize,
    }
}

#[test]
fn another_driver_is_another_device() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = tuning(&device(&folder), &store);
    let other = Key { version: "an older driver".into(), ..tuning.key().clone() };
    let choice = at("combined D=4 V=4 R=1 Q=2", 1);
    store.merge(&other, &[choice.clone()].into_iter().collect())?;
    assert!(tuning.front().is_empty());
    tuning.best(Goal::Fastest)?;
    store.merge(tuning.key(), &[at("-", 2)].into_iter().collect())?;
    assert_eq!(tuning.best(Goal::Fastest)?.choice, Choice::default());
    assert_eq!(store.read()?.fronts[&other].best(), Some(&choice), "it is kept for who has that driver");
    Ok(())
}

/// What a file says is no reason to believe that there is such a form.
#[test]
fn what_is_kept_is_checked_before_it_is_used() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let tuning = tuning(&device(&folder), &store);
    let choices =
        ["nonsense D=4", "combined D=3 V=4 R=1 Q=2", "combined D=4 V=8 R=1 Q=2", "combined D=4", "- D=1 T=2"];
    let kept = choices.iter().zip(1..).map(|(choice, time)| at(choice, time));
    store.merge(tuning.key(), &kept.chain([at("combined D=4 V=4 R=1 Q=2", 100)]).collect())?;
    let best = tuning.best(Goal::Fastest)?;
    assert!(
        best.choice.to_string() == "combined D=4 V=4 R=1 Q=2" || best.choice.schedule.is_none(),
        "{}",
        best.choice
    );
    Ok(())
}

#[test]
fn budgets_are_kept() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::new(folder.path().join("tuned.txt"));
    let sizes = row::Sizes { K: 4, C: 2, N: 16 };
    let tuning = row::tuning(&device(&folder), sizes)?.stored(Some(store.clone()));
    let (plain, padded) =
        ("-".parse().expect("a choice"), "combined padded D=4 V=4 R=1 Q=2".parse().expect("a choice"));
    let bytes = |choice| tuning.build(choice).map(|c| c.bytes());
    let (less, more) = (bytes(&plain)?, bytes(&padded)?);
    let slow = Found { choice: plain.clone(), time: Duration::from_millis(9), bytes: less };
    let fast = Found { choice: padded.clone(), time: Duration::from_millis(3), bytes: more };
    store.merge(tuning.key(), &[slow, fast].into_iter().collect())?;
    assert!(less < more);
    let best = |goal| tuning.best(goal).map(|best| best.choice);
    assert_eq!(best(Goal::Fastest)?, padded);
    assert_eq!(best(Goal::WithinBytes(less))?, plain);
    // Padding is written by a kernel of its own.
    assert_eq!(best(Goal::FewestKernels)?, plain);
    assert_eq!(best(Goal::WithinTime(Duration::from_millis(10)))?, plain);
    assert_eq!(best(Goal::WithinTime(Duration::from_millis(5)))?, padded);
    let error = best(Goal::WithinTime(Duration::from_millis(2))).expect_err("no form is so fast");
    assert!(error.to_string().contains("the fastest that was found takes 3ms"), "{error}");
    let error = best(Goal::WithinBytes(less / 2)).expect_err("no form is so small");
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    Ok(())
}

#[test]
fn a_program_that_can_not_be_started_again_is_not() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let tuning = tuning(&device(&folder), &Store::new(folder.path().join("tuned.txt")));
    let error = tuning.search(&Limits::default(), |_| {}).expect_err("`worker` was not called");
    assert!(matches!(error, Error::NoWorker), "{error}");
    assert!(error.to_string().contains("lift::tune::worker()"));
}

/// Times that are made up: the farther from a point, the longer.
fn time(choice: &Choice) -> Duration {
    let wanted = [("D", 16.0f64), ("V", 8.0), ("Q", 4.0)];
    let apart =
        |(name, value): &(&str, f64)| (choice.value(name).unwrap_or(1000) as f64 / value).log2().abs();
    Duration::from_secs_f64(1e-3 * (1.0 + wanted.iter().map(apart).sum::<f64>()))
}

fn order(search: &mut Search, count: usize) -> Vec<(Choice, Duration)> {
    let mut all = vec![];
    while all.len() < count {
        let Some(choice) = search.next_candidate() else { break };
        let found = Found { time: time(&choice), bytes: 1, choice };
        search.learn(&found);
        all.push((found.choice, found.time));
    }
    all
}

/// How many candidates the two searches give out.
const COUNT: usize = 180;

#[test]
fn a_seed_gives_an_order_that_finds_what_is_fast() {
    let sizes = product::Sizes { N: 64, M: 64, L: 8 };
    let tuning = product::tuning(&Device::cpu(), sizes).expect("it fits").stored(None);
    let all = order(&mut tuning.candidates(1), COUNT);
    assert_eq!(all, order(&mut tuning.candidates(1), COUNT));
    let distinct: BTreeSet<_> = all.iter().map(|(choice, _)| choice).collect();
    assert_eq!(distinct.len(), COUNT);
    // First what is known of devices of this family, which differs from machine to machine, and the program as
    // it is; then what chance and the measurements say.
    let plain = all.iter().position(|(choice, _)| *choice == Choice::default());
    let known = plain.expect("the program as it is comes early") + 1;
    assert!(known < COUNT / 2, "{known} of {COUNT} are the same in every search");
    let other = order(&mut tuning.candidates(2), COUNT);
    assert_eq!(all[..known], other[..known]);
    assert_ne!(all[known..], other[known..]);
    let best = all.iter().min_by_key(|(_, time)| *time).expect("some");
    assert!(best.1 <= Duration::from_millis(2), "{}: more than a step from the best", best.0);
}
