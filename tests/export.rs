//! Exported programs: C's compiler accepts them without a warning, they compute to the bit what lift does on
//! the same device, and they refuse what they can't read. All of it under the address sanitizer.
//!
//! `LIFT_UPDATE_GOLDEN=1 cargo test --test export` writes the golden folder anew; read what changed.

mod beside;
mod common;
#[path = "export/folder.rs"]
mod folder;
#[path = "export/forms.rs"]
mod forms;
mod nests;

use beside::uneven;
use common::Trial;
use folder::{Folder, compile, device, elements, text, trial};
use lift::prelude::*;
use lift::schedules::COMBINED;
use lift::{Compiled, Device, Error, Program, Settings};
use ndarray_npy::read_npy;
use nests::{nhwc, placed, relu_inside_batch};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

lift! {
    /// Three results, one of them a scalar; one argument is, too.
    pub fn statistics<N, M>(xs: [[f32; N]; M], scale: f32) -> ([f32; M], [f32; M], f32) {
        let range = |row| reduce(
            (f32::INFINITY, f32::NEG_INFINITY),
            |(low, high), x| (min(low, x), max(high, x)),
            row,
        );
        let (lows, highs) = unzip(map(range, xs));
        (lows, highs, scale * reduce(0.0, |a, x| a + x, join(xs)))
    }
    /// Two launches for the constants, a scalar among them, and a sum kept between launches.
    pub fn weighted<N, M>(const weights: [f32; M], const scale: f32, xs: [f32; N]) -> [f32; N] {
        let total = reduce(0.0, |sum, w| sum + w * scale, weights);
        map(|x| x * total, xs)
    }
    /// Rounds that write two arrays in turn.
    pub fn heat<N>(rod: [f64; N]) -> [f64; N] {
        let step = |xs| map(
            |w| reduce(0.0, |sum, (x, c)| sum + x * c, zip(w, [0.25, 0.5, 0.25])),
            slide(3, 1, padWrap(1, 1, xs)),
        );
        iterate(3, step, rod)
    }
    pub fn integers<N>(a: [i8; N], b: [u16; N], c: [i64; N], d: [bool; N]) -> ([i64; N], [bool; N], [u8; N]) {
        let sums = map(|(x, y, z)| x as i64 + y as i64 + z, zip(a, b, c));
        (sums, map(|(x, y)| x > 0 && y, zip(c, d)), map(|x| x as u8, a))
    }
    pub fn halves<N>(xs: [f16; N]) -> [f16; N] {
        map(|x| x + x, xs)
    }
    /// Nothing at all where N = 1.
    pub fn rest<N>(xs: [f32; N]) -> [f32; N - 1] {
        drop(1, xs)
    }
    /// Names that a C program, its Makefile and its files could stumble over.
    pub fn run<N>(output: [f32; N], Output: [f32; N], main: [f32; N], expected: f32, r#type: [f32; N], größe: [f32; N]) -> [f32; N] {
        map(|(a, b, c, d, e)| a + b - c * d + e * expected, zip(output, Output, main, r#type, größe))
    }
}

/// The exported program's results are lift's, to the bit.
fn agrees(program: &Program, sizes: &[usize], name: &str) {
    let Some(device) = device() else { return };
    exported_agrees(&trial(program, sizes), &compile(program, device, sizes), name);
}

/// The same of a program in whatever form it was built.
fn exported_agrees(trial: &Trial, compiled: &Compiled, name: &str) {
    let folder = Folder::built(trial, compiled);
    let checked = folder.command("make", &["check", "ARGS=--device pocl --tolerance 0 --repeat 2"]);
    assert!(checked.status.success(), "{}", text(&checked));
    let results = compiled.signature().results.len();
    assert_eq!(text(&checked).matches(" is as in ").count(), results, "{}", text(&checked));
    assert!(text(&checked).contains(&format!("./{name} --expect")), "{}", text(&checked));
    if name != "run_2" {
        for result in 0..results {
            let number = if result == 0 { String::new() } else { format!("_{}", result + 1) };
            let got = folder.read(&format!("output{number}.npy"));
            let expected = folder.read(&format!("expected{number}.npy"));
            assert_eq!(elements(&got), elements(&expected), "{name}: result {result}");
        }
    }
}

#[test]
fn a_batch() {
    agrees(relu_inside_batch::program(), &[3, 4, 3, 7, 4, 2], "relu_inside_batch");
}

#[test]
fn several_results_and_scalars() {
    agrees(statistics::program(), &[5, 3], "statistics");
    agrees(weighted::program(), &[7, 3], "weighted");
}

#[test]
fn arrays_beside_each_other() {
    agrees(uneven::program(), &[1024], "uneven");
}

/// Where all results are empty there is nothing to build or to launch, for lift itself neither.
#[test]
fn nothing_to_compute() {
    agrees(rest::program(), &[2], "rest");
    let Some(device) = device() else { return };
    let (xs, none) = (array![1.0f32], Array1::<f32>::zeros(0));
    assert_eq!(rest(device, xs.view()).expect("it runs"), none);
    let parent = tempfile::tempdir().expect("a temporary folder");
    let path = parent.path().join("rest");
    let export = compile(rest::program(), device, &[1]).export().arguments(&[(&xs).into()]);
    let export = export.and_then(|e| e.expected(&[(&none).into()]));
    export.and_then(|e| e.write(&path)).expect("it is written");
    let output =
        Command::new("make").args(["check", "ARGS=--device pocl --repeat 2"]).current_dir(&path).output();
    let output = output.expect("make starts");
    assert!(output.status.success() && text(&output).contains("output.npy is as in"), "{}", text(&output));
}

#[test]
fn other_types() {
    agrees(heat::program(), &[17], "heat");
    agrees(integers::program(), &[100], "integers");
}

#[test]
fn names_that_are_taken() {
    agrees(run::program(), &[9], "run_2");
}

/// Where a device lacks a type, it is said in words; else the results are right.
#[test]
fn half_precision() {
    let Some(device) = device() else { return };
    let compiled = halves::compile(&Device::cpu(), halves::Sizes { N: 3 }).expect("the processor has them");
    let xs = array![1.5, -2.0, 65504.0].mapv(f16::from_f32);
    let parent = tempfile::tempdir().expect("a temporary folder");
    let path = parent.path().join("halves");
    let expected = xs.mapv(|x| x + x);
    let export = compiled.export().arguments(&[(&xs).into()]).and_then(|e| e.expected(&[(&expected).into()]));
    export.and_then(|e| e.write(&path)).expect("it is written");
    let output = Command::new("make").args(["check", "ARGS=--device pocl"]).current_dir(&path).output();
    let output = output.expect("make starts");
    if halves(device, xs.view()).is_ok() {
        assert!(output.status.success(), "{}", text(&output));
    } else {
        assert!(!output.status.success() && text(&output).contains("the kernels need cl_khr_fp16"));
    }
}

/// A file's header and what follows it.
fn npy(header: &str, bytes: &[u8]) -> Vec<u8> {
    let length = (header.len() as u16).to_le_bytes();
    [&b"\x93NUMPY\x01\x00"[..], &length, header.as_bytes(), bytes].concat()
}

#[test]
fn files_that_can_not_be_read_are_named() {
    let Some(device) = device() else { return };
    let folder = Folder::of(statistics::program(), &[4, 3], device);
    let data: Vec<u8> = (0..12).flat_map(|k| (k as f32).to_le_bytes()).collect();
    let header = |ty: &str, fortran: &str, shape: &str| {
        format!("{{'descr': '{ty}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
    };
    let right = header("<f4", "False", "(3, 4)");
    let whole = npy(&right, &data);
    folder.write("xs.npy", &whole);
    assert!(folder.run("statistics", &[]).status.success(), "{}", text(&folder.run("statistics", &[])));
    let other_order = npy("{'shape':(3,4,),\"x\":1,'fortran_order':False,'descr':'<f4'}", &data);
    folder.write("xs.npy", &other_order);
    assert!(folder.run("statistics", &[]).status.success(), "keys in another order, without spaces");

    let wrong = [
        (npy(&header("<f4", "False", "(4, 3)"), &data), "its shape is (4, 3), but (3, 4) is expected"),
        (npy(&header("<f4", "False", "(12,)"), &data), "its shape is (12,), but (3, 4) is expected"),
        (npy(&header("<f4", "False", "(3, 4, 1)"), &data), "its shape is (3, 4, 1)"),
        (npy(&header("<f4", "False", "()"), &data), "its shape is (), but"),
        (npy(&header("<f4", "False", "(3, -4)"), &data), "its header gives no shape"),
        (npy(&header("<f4", "False", "(3"), &data), "its header gives no shape"),
        (npy(&header("<f4", "True", "(3, 4)"), &data), "Fortran's order"),
        (npy(&header("<f8", "False", "(3, 4)"), &data), "type <f8, but <f4 is expected"),
        (npy(&header(">f4", "False", "(3, 4)"), &data), "type >f4, but <f4 is expected"),
        (npy(&header("<i4", "False", "(3, 4)"), &data), "type <i4, but <f4 is expected"),
        (
            npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3, 4), }\n", &data),
            "type [('a', '<f4')]",
        ),
        (npy("{'fortran_order': False, 'shape': (3, 4), }\n", &data), "its header says nothing of 'descr'"),
        (npy(&right, &data[1..]), "it holds 47 bytes of elements, but its shape makes 48"),
        (npy(&right, &[&data[..], b"x"].concat()), "it holds 49 bytes of elements"),
        (whole[..40].to_vec(), "it ends in its header"),
        (b"\x93NUMPY".to_vec(), "it is no .npy file"),
        (b"1 2 3 4 5 6 7 8 9 10 11 12".to_vec(), "it is no .npy file"),
        (vec![], "it is no .npy file"),
    ];
    for (bytes, message) in wrong {
        folder.write("xs.npy", &bytes);
        let output = folder.run("statistics", &[]);
        let said = text(&output);
        assert!(output.status.code() == Some(1) && said.contains("error: xs.npy: "), "{message}: {said}");
        assert!(said.contains(message), "{message}: {said}");
    }
    // What never ends is not read; a file that is larger than it can be right, only so far.
    let path = folder.path.join("xs.npy");
    let file = std::fs::File::create(&path).and_then(|file| file.set_len(1 << 40));
    file.expect("a file of a terabyte, all of it a hole");
    let instead = |what: &str| {
        let output = folder.run("statistics", &[]);
        assert!(output.status.code() == Some(1) && text(&output).contains(what), "{}", text(&output));
        std::fs::remove_file(&path).expect("it is there");
    };
    instead("error: xs.npy: it has more than 1048624 bytes");
    std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
    instead("error: xs.npy: it is no regular file");
    assert!(folder.command("mkfifo", &["xs.npy"]).status.success());
    instead("error: xs.npy: it is no regular file");
    std::fs::create_dir(&path).expect("a folder");
    let output = folder.run("statistics", &[]);
    assert!(text(&output).contains("error: xs.npy: it is no regular file"), "{}", text(&output));
    std::fs::remove_dir(&path).expect("it is there");
    let output = folder.run("statistics", &[]);
    assert!(output.status.code() == Some(1) && text(&output).contains("error: xs.npy: No such file"));
}

#[test]
fn options_and_what_is_expected() {
    let Some(device) = device() else { return };
    let folder = Folder::of(statistics::program(), &[4, 3], device);
    let fails = |arguments: &[&str], message: &str| {
        let output = folder.run("statistics", arguments);
        assert!(output.status.code() == Some(1) && text(&output).contains(message), "{}", text(&output));
    };
    fails(&["--repeat", "many"], "`--repeat many` can't be understood");
    fails(&["--repeat"], "`--repeat` can't be understood");
    fails(&["--tolerance", "-1"], "`--tolerance -1` can't be understood");
    fails(&["--nothing", "1"], "`--nothing 1` can't be understood");
    fails(
        &["--device", "no such device"],
        "no OpenCL device has `no such device` in its name; --list names all",
    );
    fails(&["--expect", "nothing.npy"], "nothing.npy: No such file");
    fails(&["--expect", "xs.npy"], "xs.npy: its shape is (3, 4), but (3,) is expected");
    let listed = folder.run("statistics", &["--list"]);
    assert!(listed.status.success() && text(&listed).to_lowercase().contains("pocl"), "{}", text(&listed));
    assert!(text(&folder.run("statistics", &["--help"])).contains("--tolerance X"));

    let lows: Array1<f32> = read_npy(folder.path.join("expected.npy")).expect("NumPy reads it");
    let largest = lows.fold(0.0f32, |most, x| most.max(x.abs()));
    let compare = |change: f32, tolerance: &str| {
        let mut other = lows.clone();
        other[1] += change;
        ndarray_npy::write_npy(folder.path.join("other.npy"), &other).expect("it is written");
        folder.run("statistics", &["--expect", "other.npy", "--tolerance", tolerance])
    };
    assert!(compare(largest * 1e-3, "2e-3").status.success());
    let output = compare(largest * 4e-3, "2e-3");
    assert!(text(&output).contains("output.npy differs from other.npy: element 1 is "), "{}", text(&output));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(compare(f32::NAN, "1").status.code(), Some(1), "what is not a number is expected of one");
    assert_eq!(compare(f32::INFINITY, "1").status.code(), Some(1));
    let written: Array1<f32> = read_npy(folder.path.join("output.npy")).expect("NumPy reads it");
    assert_eq!(written, lows);
}

/// A program on a device that keeps what it builds in this folder.
fn kept_in(cache: &Path) -> halves::Compiled {
    let device = Device::cpu_with(&Settings { cache: Some(cache.to_path_buf()), ..Settings::default() });
    halves::compile(&device, halves::Sizes { N: 3 }).expect("it compiles")
}

/// The kind of what is wrong with a folder.
fn refused(compiled: &lift::Compiled, path: &Path) -> ErrorKind {
    match compiled.export().write(path) {
        Err(Error::Io { error, doing }) => {
            assert!(doing.contains(&path.display().to_string()), "{doing}");
            error.kind()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_folder_that_is_there_stays_as_it_is() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let compiled = kept_in(&parent.path().join("cache"));
    let deep = parent.path().join("deep");
    let path = deep.join("folder");
    compiled.export().write(&path).expect("folders on the way are made");
    std::fs::write(path.join("main.c"), "mine").expect("it can be written");
    assert_eq!(refused(&compiled, &path), ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_to_string(path.join("main.c")).expect("it is there"), "mine");
    assert_eq!(refused(&compiled, &path.join("main.c")), ErrorKind::AlreadyExists);
    assert_eq!(refused(&compiled, &path.join("main.c").join("deeper")), ErrorKind::NotADirectory);
    assert_eq!(refused(&compiled, &deep), ErrorKind::AlreadyExists);
    assert_eq!(names(&deep), ["folder"], "nothing is left beside it");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    entries.map(|e| e.file_name().into_string().expect("a name")).collect()
}

/// A process that may write no byte to any file stands for a full disk; what it exports was built before.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_behind() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    kept_in(&parent.path().join("cache"));
    let binary = std::env::current_exe().expect("this test binary");
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" full --exact --nocapture"]).arg(binary);
    let output = command.env("FULL", parent.path()).output().expect("it runs");
    assert!(output.status.success() && text(&output).contains("FileTooLarge"), "{}", text(&output));
    assert_eq!(names(parent.path()), ["cache"]);
}

#[test]
fn full() {
    let Ok(parent) = std::env::var("FULL") else { return };
    let parent = Path::new(&parent);
    println!("{:?}", refused(&kept_in(&parent.join("cache")), &parent.join("folder")));
}

#[test]
fn data_that_does_not_fit_is_refused() {
    let compiled =
        statistics::compile(&Device::cpu(), statistics::Sizes { N: 4, M: 3 }).expect("it compiles");
    let (xs, scale) = (Array2::<f32>::zeros((3, 4)), 1f32);
    let turned = xs.t();
    let message =
        |result: Result<lift::Export, Error>| result.map(|_| ()).expect_err("it does not fit").to_string();
    let of_arguments = message(compiled.export().arguments(&[(&turned).into(), scale.into()]));
    assert!(of_arguments.contains("`xs`"), "{of_arguments}");
    let rows = Array1::<f32>::zeros(3);
    let few = message(compiled.export().expected(&[(&rows).into()]));
    assert!(few.contains('3') && few.contains('1'), "{few}");
    let other = Array1::<f64>::zeros(3);
    let ty = message(compiled.export().expected(&[(&rows).into(), (&other).into(), scale.into()]));
    assert!(ty.contains("f64") && ty.contains("f32"), "{ty}");
}

/// What its user reads: the program, its Makefile and what is said of them.
#[test]
fn golden() {
    let candidate = COMBINED.derive(nhwc::program(), &["packed", "padded"]).expect("it applies");
    // K, C, H, W; D, V, R, Q
    let point = [8, 4, 4, 4, 4, 4, 2, 2];
    let compiled = compile(&placed(&candidate, &point), &Device::cpu(), &point);
    let parent = tempfile::tempdir().expect("a temporary folder");
    let path = parent.path().join("exported");
    compiled.export().form("combined packed padded").write(&path).expect("it is written");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/export");
    for name in ["main.c", "Makefile", "README.md"] {
        let text = std::fs::read_to_string(path.join(name)).expect("it was written");
        if std::env::var_os("LIFT_UPDATE_GOLDEN").is_some() {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join(name), &text).expect("the folder is there");
        }
        let golden = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(text == golden, "{name} should be\n{text}");
    }
    let kernels = std::fs::read_to_string(path.join("nhwc.cl")).expect("it was written");
    assert_eq!(kernels, compiled.opencl());
}
