//! Everything that can go wrong between a correct program and its result, provoked and read: what
//! the user gets to see names the program's own arguments and sizes.

mod common;

use common::devices;
use lift::prelude::*;
use lift::target::Target;
use lift::{Argument, Element, Error, SizeError, Sizes};
use ndarray::{Array1, Array2};
use std::process::Command;

lift! {
    /// A weighted sum of neighbours; `KEPT` results are given up on each side.
    pub fn weigh<N, K, KEPT>(weights: [f32; K], xs: [f32; N]) -> [f32; N - K + 1 - KEPT]
    where
        K + KEPT <= N,
    {
        let sums = map(|w| reduce(0.0, |acc, (x, y)| acc + x * y, zip(w, weights)), slide(K, 1, xs));
        drop(KEPT, sums)
    }

    pub fn combine<W, H>(table: [[f32; W]; H], columns: [f32; W], rows: [f32; H]) -> [[f32; W]; H] {
        map(|(row, y)| map(|(t, x)| t * x * y, zip(row, columns)), zip(table, rows))
    }

    /// Between each two of `N + 1` posts is a field.
    pub fn fields<N>(posts: [i32; 2 * N + 1], scale: i32) -> [i32; N] {
        map(|w| scale * reduce(0, |acc, x| acc + x, w), slide(2, 2, posts))
    }
}

lift! {
    /// Nothing is read, so that only the result's size counts.
    pub fn zeros<N>() -> [f64; N] {
        repeat(N, 0.0)
    }

    pub fn square<N>() -> [[f32; N]; N] {
        repeat(N, repeat(N, 0.0))
    }

    /// The last three of `H * W` numbers, none of which is in memory.
    pub fn last_three<W, H>() -> [i64; 3]
    where
        3 <= W * H,
    {
        let rows = generate(H, |y| generate(W, |x| (y * W + x) as i64));
        drop(W * H - 3, join(rows))
    }

    /// The largest of `N` numbers.
    pub fn largest<N>() -> u64 {
        reduce(0, max, generate(N, |i| i as u64))
    }

    pub fn bytes<N>() -> [u8; N] {
        generate(N, |i| i as u8)
    }

    /// Constants are hashed, large ones by all threads.
    pub fn weighed_constants<N>(const weights: [f32; N], xs: [f32; N]) -> [f32; N] {
        map(|(w, x)| w * x, zip(weights, xs))
    }

    pub fn total<N>(xs: [f32; N]) -> f32 {
        reduce(0.0, |acc, x| acc + x, xs)
    }

    pub fn turned<W, H>(image: [[u8; W]; H]) -> [[u8; H]; W] {
        transpose(image)
    }
}

/// What the user is told.
fn told<T>(result: Result<T, Error>) -> String {
    result.err().expect("this goes wrong").to_string()
}

#[test]
fn a_wrong_length_is_named_with_what_it_should_be() {
    let table = Array2::zeros((3, 4));
    for device in devices::all() {
        let run = |columns, rows| {
            let (columns, rows) = (Array1::zeros(columns), Array1::zeros(rows));
            told(combine(device, table.view(), columns.view(), rows.view()))
        };
        assert_eq!(run(5, 3), "argument `table` makes `W` 4, but argument `columns` makes it 5");
        assert_eq!(run(4, 2), "argument `table` makes `H` 3, but argument `rows` makes it 2");
        let posts = Array1::zeros(8);
        assert_eq!(
            told(fields(device, posts.view(), 1)),
            "no value of `N` makes 2 * N + 1 equal to 8, the length of dimension 0 of argument `posts`"
        );
        let compiled = combine::compile(device, combine::Sizes { W: 4, H: 3 }).expect("it builds");
        let (columns, rows) = (Array1::zeros(4), Array1::zeros(7));
        assert_eq!(
            told(compiled.run(table.view(), columns.view(), rows.view())),
            "dimension 0 of argument `rows` has length 7, but H = 3 is expected"
        );
    }
}

#[test]
fn clauses_are_checked_on_real_sizes() {
    let (weights, xs) = (Array1::zeros(3), Array1::zeros(4));
    for device in devices::all() {
        assert!(weigh(device, 1, weights.view(), xs.view()).is_ok());
        let error = weigh(device, 2, weights.view(), xs.view()).expect_err("the clause is broken");
        assert!(matches!(error, Error::Size(SizeError::Where { .. })), "{error:?}");
        let told = error.to_string();
        assert!(told.starts_with("`weigh` requires "), "{told}");
        assert!(told.ends_with(" which does not hold with N = 4, K = 3, KEPT = 2"), "{told}");
        let error =
            weigh::compile(device, weigh::Sizes { N: 2, K: 3, KEPT: 1 }).err().expect("the clause is broken");
        assert!(matches!(error, Error::Size(SizeError::Where { .. })), "{error:?}");
    }
}

#[test]
fn nothing_may_be_empty() {
    for device in devices::all() {
        let run = |table: (usize, usize), columns, rows| {
            let (table, columns, rows) = (Array2::zeros(table), Array1::zeros(columns), Array1::zeros(rows));
            told(combine(device, table.view(), columns.view(), rows.view()))
        };
        let first = "dimension 0 of argument `table` has length 0, but a size is at least 1";
        let second = "dimension 1 of argument `table` has length 0, but a size is at least 1";
        assert_eq!(run((0, 4), 4, 0), first);
        assert_eq!(run((3, 0), 0, 3), second);
        assert_eq!(run((0, 0), 0, 0), first);
        let error = told(weigh(device, 0, Array1::zeros(1).view(), Array1::zeros(4).view()));
        assert_eq!(error, "size `KEPT` must be at least 1, not 0");
        let error = told(fields(device, Array1::zeros(1).view(), 1));
        assert_eq!(error, "size `N` must be at least 1, not 0");
    }
}

/// A program that is only known at run time is called without Rust's types.
#[test]
fn arguments_of_the_wrong_number_rank_or_type_are_named() {
    let program = combine::program();
    let (table, line, integers) =
        (Array2::<f32>::zeros((3, 3)), Array1::<f32>::zeros(3), Array1::<i32>::zeros(3));
    let (table, line) = (f32::argument(table.view().into_dyn()), f32::argument(line.view().into_dyn()));
    let integers = i32::argument(integers.view().into_dyn());
    for device in devices::all() {
        let run = |arguments: &[Argument<'_>]| told(lift::run(program, device, &[], arguments));
        assert_eq!(run(&[table.clone(), line.clone()]), "`combine` takes 3 arguments, but 2 were given");
        assert_eq!(
            run(&[line.clone(), line.clone(), line.clone()]),
            "argument `table` has 1 dimensions, but its type [[f32; W]; H] has 2"
        );
        assert_eq!(
            run(&[table.clone(), integers.clone(), line.clone()]),
            "argument `columns` holds i32 where the program takes f32"
        );
        let error = lift::run(program, device, &[1], &[table.clone(), line.clone(), line.clone()]);
        assert_eq!(told(error), "`combine` takes no sizes besides its arguments, but 1 was given");
        assert_eq!(
            told(lift::compile(program, device, &[1])),
            "`combine` takes 2 sizes besides its arguments, but 1 was given"
        );
    }
}

#[test]
fn memory_that_is_not_there_is_said_so() {
    for device in devices::all() {
        for length in [1 << 40, 1 << 58] {
            let error = zeros(device, length).expect_err("no machine has that much");
            let Error::OutOfMemory { bytes, .. } = &error else { panic!("{device}: {error:?}") };
            assert!(*bytes >= 8 * length as u128, "{device}: {error}");
            assert!(error.to_string().contains(" of memory, but "), "{error}");
        }
    }
}

/// A view of one element may have more elements than any memory has room for.
#[test]
fn views_larger_than_memory_are_refused() {
    let (one, line, table) = (ndarray::arr0(1.0f32), 1usize << 40, (1usize << 20, 1usize << 20));
    let vast = one.broadcast(line).expect("a view");
    let zero = ndarray::arr0(0u8);
    let image = zero.broadcast(table).expect("a view");
    for device in devices::all() {
        let errors = [
            total(device, vast).expect_err("no memory holds a copy"),
            turned(device, image).expect_err("nor this"),
        ];
        for error in errors {
            let Error::OutOfMemory { bytes, .. } = &error else { panic!("{device}: {error:?}") };
            assert!(*bytes >= 1 << 40, "{device}: {error}");
        }
    }
    let compiled = total::compile(&Device::cpu(), total::Sizes { N: line }).expect("it builds");
    let refused = [
        told(compiled.run(vast)),
        told(lift::interpret(total::program(), &[], &[(&vast).into()])),
        told(
            lift::compile(total::program(), &Device::cpu(), &[line])
                .and_then(|c| c.export().arguments(&[(&vast).into()])),
        ),
    ];
    let what = ["a copy of `xs`, which is not in standard layout,", "interpreting `total`", "a copy of `xs`"];
    for (refused, what) in refused.iter().zip(what) {
        assert!(refused.starts_with(what) && refused.contains(" needs "), "{refused}");
    }
    let tuning =
        total::tuning(&Device::cpu(), total::Sizes { N: line }).expect("it fits").stored(None).only(None);
    let refused = told(tuning.best(lift::tune::Goal::Fastest));
    assert!(refused.starts_with("checking forms of `total` needs "), "{refused}");
    // What has room is copied, in whatever order its elements lie.
    let few = one.broadcast(1000).expect("a view");
    assert_eq!(total(&Device::cpu(), few).expect("it fits"), 1000.0);
}

/// The interpreter makes every value as it stands.
#[test]
fn what_the_interpreter_has_no_room_for_is_refused() {
    for sizes in [[1 << 20, 1 << 20], [1 << 31, 1 << 31]] {
        let error =
            lift::interpret(last_three::program(), &sizes, &[]).expect_err("no machine has that much");
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error:?}");
    }
    let three = lift::interpret(last_three::program(), &[5, 3], &[]).expect("it fits").remove(0);
    assert_eq!(three.into_array::<i64>().expect("it is one").as_slice(), Some(&[12, 13, 14][..]));
}

/// Sizes whose product leaves 64 bits are refused, not wrapped round to a small array.
#[test]
fn sizes_that_overflow_are_refused() {
    for device in devices::all() {
        for n in [1 << 31, 1 << 32, 1 << 33, (1 << 62) + 1, usize::MAX / 2, usize::MAX] {
            let error = square(device, n).expect_err("it fits nowhere");
            let refused =
                matches!(error, Error::OutOfMemory { .. } | Error::Size(_) | Error::Unsupported { .. });
            assert!(refused, "{device}, N = {n}: {error:?}");
        }
    }
}

/// More elements than 32 bits can count: reading, counting and, where there is memory, writing.
#[test]
fn beyond_2_to_the_31_elements_nothing_wraps_round() {
    let many = (1usize << 31) + 11;
    for device in devices::all() {
        let (w, h) = (70_000, 70_000);
        let last = (w * h) as i64 - 1;
        let three = last_three(device, w, h).expect("three numbers fit everywhere");
        assert_eq!(three.to_vec(), [last - 2, last - 1, last], "{device}");
        assert_eq!(largest(device, many).expect("it is one number"), many as u64 - 1, "{device}");
    }
}

#[test]
fn arrays_beyond_2_to_the_31_elements_are_indexed_with_64_bits() {
    let program = turned::program();
    let sizes = Sizes(program.sizes().iter().map(|size| (size.var.clone(), 70_000)).collect());
    let plan = lift_core::compile(program, &sizes, &Target::default()).expect("it compiles");
    assert_eq!(plan.memory().bytes(), 2 * 70_000 * 70_000);
    for text in [plan.c(), plan.opencl()] {
        assert!(text.contains("long") && text.contains("70000L"), "{text}");
    }
}

#[test]
fn results_beyond_2_to_the_31_elements() {
    let many = (1usize << 31) + 11;
    for device in devices::all() {
        let all = match bytes(device, many) {
            Ok(all) => all,
            // A small machine may say so.
            Err(Error::OutOfMemory { bytes, .. }) if bytes >= many as u128 => continue,
            Err(other) => panic!("{device}: {other}"),
        };
        assert_eq!(all.len(), many);
        for i in [0, 255, 256, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, many - 1] {
            assert_eq!(all[i], i as u8, "{device}: element {i}");
        }
    }
}

#[test]
fn an_unknown_device_is_named_beside_those_there_are() {
    let mut wanted = devices::all().iter();
    assert_eq!(wanted.next().map(Device::name).as_deref(), Some("cpu"));
    let told = told(Device::named("abacus"));
    if wanted.next().is_some() {
        assert!(told.starts_with("there is no device named `abacus`; there are: `cpu`, `"), "{told}");
    } else {
        assert!(told.contains("`cpu`"), "{told}");
    }
}

/// A compiler that answers what it is, and then compiles nothing.
#[cfg(unix)]
#[test]
fn a_failed_build_shows_log_and_source() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compiler = folder.path().join("broken-cc");
    let script = "#!/bin/sh\ncase \"$*\" in *-dM*) echo '#define __BROKEN__ 1'; exit 0;; esac\n\
                  echo 'internal compiler error: out of coffee' >&2\nexit 1\n";
    std::fs::write(&compiler, script).expect("it is written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let compiler = Some(compiler.display().to_string());
    let device = Device::cpu_with(&lift::Settings { cache: None, compiler, ..lift::Settings::default() });
    match combine(&device, Array2::zeros((2, 2)).view(), Array1::zeros(2).view(), Array1::zeros(2).view()) {
        Err(error @ Error::Build { .. }) => {
            assert!(error.to_string().contains("out of coffee"), "{error}");
            let Error::Build { log, text, .. } = error else { unreachable!() };
            assert!(log.contains("internal compiler error"), "{log}");
            assert!(text.contains("combine") && text.contains("columns"), "{text}");
        }
        other => panic!("{:?}", other.err()),
    }
}

/// What a child process is to find.
const TASK: &str = "LIFT_ERRORS_TASK";

/// Runs [`child`] in a process of its own, for variables that count when a process starts.
fn in_child(task: &str, variables: &[(&str, &str)]) {
    let this = std::env::current_exe().expect("this test binary");
    let mut command = Command::new(this);
    command.args(["child", "--exact", "--nocapture"]).env(TASK, task);
    command.env_remove("OCL_ICD_FILENAMES").envs(variables.iter().copied());
    let output = command.output().expect("it runs");
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && printed.contains("child is done"), "{printed}");
}

#[test]
fn without_a_driver_it_is_said_what_to_install() {
    let empty = tempfile::tempdir().expect("a temporary folder");
    let nowhere = empty.path().display().to_string();
    in_child("no driver", &[("OCL_ICD_VENDORS", &nowhere)]);
}

#[test]
fn without_the_loader_it_is_said_what_to_install() {
    in_child("no loader", &[("LIFT_OPENCL", "/nowhere/libOpenCL.so")]);
}

#[test]
fn without_a_compiler_it_is_said_what_to_install() {
    in_child("no compiler", &[("CC", "/nowhere/cc"), ("PATH", "/nowhere")]);
}

/// Runs [`child`] where the system has no room for something.
#[cfg(unix)]
fn in_narrow_child(task: &str, limit: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{limit}; exec "$0" "$@""#)]).arg(std::env::current_exe().expect("this"));
    command.args(["child", "--exact", "--nocapture", "--test-threads=1"]).env(TASK, task);
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success() && printed.contains("child is done"), "{task}: {printed}");
}

/// Where threads can't be made, fewer do the work, or one.
#[cfg(target_os = "linux")]
#[test]
fn fewer_threads_than_cores_are_enough() {
    let threads = |stack: &'static str| [("RUST_MIN_STACK", stack), ("RAYON_NUM_THREADS", "16")];
    // More for a stack than there are addresses; and so much that a few fit.
    in_narrow_child("no threads", "true", &threads("140737488355328"));
    in_narrow_child("few threads", "ulimit -v 8388608", &threads("1073741824"));
}

/// A user who may start nothing more is told so.
#[cfg(target_os = "linux")]
#[test]
fn what_has_no_room_is_said_so() {
    // The superuser may start what it likes: then it is somebody else who starts nothing.
    let (this, limit) =
        (std::env::current_exe().expect("this test binary"), "ulimit -p 1 2>&- || ulimit -u 1");
    let mut command = Command::new("sh");
    command.args(["-c", &format!(r#"{limit}; exec "$0" "$@""#)]).arg(this);
    command.args(["child", "--exact", "--nocapture", "--test-threads=1"]).env(TASK, "nothing more");
    let folder = tempfile::tempdir().expect("a temporary folder");
    command.env("XDG_CACHE_HOME", folder.path()).env_remove("CC");
    if is_superuser() {
        std::os::unix::process::CommandExt::uid(&mut command, NOBODY);
    }
    let output = command.output().expect("it runs");
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    if printed.contains("Permission denied") {
        eprintln!("*** SKIPPED: another user may not run this test: {printed} ***");
        return;
    }
    assert!(output.status.success() && printed.contains("child is done"), "{printed}");
}

/// A compiler that is there and fails is told from one that is not there.
#[cfg(unix)]
#[test]
fn what_a_compiler_fails_with_is_said() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let compiler = folder.path().join("cc");
    let script = "#!/bin/sh\necho 'cc1: vfork: Resource temporarily unavailable' >&2; exit 1\n";
    std::fs::write(&compiler, script).expect("it is written");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    let compiler = Some(compiler.display().to_string());
    let device = Device::cpu_with(&lift::Settings { cache: None, compiler, ..lift::Settings::default() });
    let told = told(zeros(&device, 3));
    assert!(told.contains("does not run: cc1: vfork: Resource temporarily unavailable"), "{told}");
}

/// A user's number that nobody has.
#[cfg(target_os = "linux")]
const NOBODY: u32 = 54_321;

#[cfg(target_os = "linux")]
fn is_superuser() -> bool {
    std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").expect("it is there")) == 0
}

#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    match task.as_str() {
        "no compiler" => {
            let told = told(zeros(&Device::cpu(), 3));
            assert!(told.contains("needs a C compiler") && told.contains("apt install gcc"), "{told}");
        }
        "no threads" | "few threads" => {
            let device = Device::cpu();
            let threads = device.to_string();
            let threads = threads.trim_matches(|c: char| !c.is_ascii_digit()).parse::<usize>();
            let threads = threads.expect("the name tells their number");
            assert!(if task == "no threads" { threads == 1 } else { (2..8).contains(&threads) }, "{threads}");
            // Enough that all threads are asked for.
            let xs = Array1::from_elem(1 << 20, 1.0f32);
            let image = Array2::from_shape_fn((1 << 10, 1 << 10), |(y, x)| (x ^ y) as u8);
            assert_eq!(total(&device, xs.view()).expect("it runs"), (1 << 20) as f32);
            assert_eq!(turned(&device, image.view()).expect("it runs"), image.t());
            let compiled = weighed_constants::compile(&device, weighed_constants::Sizes { N: 1 << 20 });
            let weighed = compiled.expect("it builds").run(xs.view(), xs.view()).expect("it runs");
            assert_eq!(weighed.sum(), (1 << 20) as f32);
        }
        "nothing more" => {
            let told_by_cpu = told(total(&Device::cpu(), Array1::ones(3).view()));
            let started = "C compiler `cc` does not run: Resource temporarily unavailable";
            assert!(told_by_cpu.contains(started), "{told_by_cpu}");
            let told_by_opencl = told(Device::named("opencl"));
            assert!(told_by_opencl.contains("no room for the threads"), "{told_by_opencl}");
        }
        missing => {
            let error = Device::named("opencl").expect_err("there is none");
            assert!(matches!(error, Error::NoDriver(_)), "{error:?}");
            let told = error.to_string();
            let what = if missing == "no driver" { "driver" } else { "library" };
            assert!(told.contains(what) && told.contains("apt install pocl-opencl-icd"), "{told}");
            // And everything else still works.
            assert_eq!(Device::all().len(), 1);
            let device = Device::best().expect("the built-in one");
            assert_eq!(zeros(&device, 3).expect("it runs"), Array1::<f64>::zeros(3));
        }
    }
    println!("child is done");
}
