//! Every error that does not need a program is provoked here and read.

mod common;

use common::{buffer, devices, launch, load, pairwise, two_kernels};
use lift_core::kernel::{Expr, Local, LocalId, Role, Stmt};
use lift_core::scalar::{Op, Value};
use lift_core::types::Scalar;
use lift_runtime::{Argument, Compiled, Device, Element, Error, Kind, NoDriver, Settings};
use ndarray::{Array1, Array2};
use std::process::Command;

fn refusal(compiled: &Compiled, arguments: &[Argument<'_>]) -> String {
    compiled.run(arguments).unwrap_err().to_string()
}

#[test]
fn arguments_that_do_not_fit_are_named() {
    let (plan, signature) = pairwise(Op::Add, Scalar::F32, 8);
    let (eight, nine, integers) = (Array1::<f32>::zeros(8), Array1::<f32>::zeros(9), Array1::<i32>::zeros(8));
    let square = Array2::<f32>::zeros((8, 8));
    let good = f32::argument(eight.view().into_dyn());
    for device in devices() {
        let compiled = load(&device, &plan, &signature).unwrap();
        assert_eq!(
            refusal(&compiled, std::slice::from_ref(&good)),
            "`by_hand` takes 2 arguments, but 1 was given"
        );
        assert_eq!(
            refusal(&compiled, &[good.clone(), f32::argument(nine.view().into_dyn())]),
            "dimension 0 of argument `b` has length 9, but N = 8 is expected"
        );
        assert_eq!(
            refusal(&compiled, &[f32::argument(square.view().into_dyn()), good.clone()]),
            "argument `a` has 2 dimensions, but its type [f32; N] has 1"
        );
        assert_eq!(
            refusal(&compiled, &[good.clone(), i32::argument(integers.view().into_dyn())]),
            "argument `b` holds i32 where the program takes f32"
        );
    }
}

#[test]
fn a_build_that_fails_shows_log_and_source() {
    let (mut plan, signature) = two_kernels(8);
    let unknown =
        Local { name: "deliberately".into(), id: LocalId::Own(1000), scalar: Scalar::F32, width: 1 };
    plan.modules[0].kernels[0].body.insert(0, Stmt::Assign(unknown, Expr::Literal(Value::F32(0.0))));
    for device in devices() {
        match load(&device, &plan, &signature) {
            Err(Error::Build { log, text, device }) => {
                assert!(log.contains("deliberately"), "{log}");
                assert!(text.contains("scale_("), "{text}");
                assert!(!device.is_empty());
            }
            other => panic!("{device}: {:?}", other.err()),
        }
    }
}

#[test]
fn a_plan_that_does_not_fit_its_signature_is_refused() {
    let (good, signature) = pairwise(Op::Add, Scalar::F32, 8);
    let mut short = good.clone();
    short.buffers[0].length = 7;
    let mut unknown = good.clone();
    unknown.launches[0].arrays[1].0 = 9;
    let mut unwritten = good.clone();
    unwritten.buffers[2].role = Role::Temporary;
    let mut few = good.clone();
    few.launches[0] = launch(0, &[0, 1], &[], 8);
    let mut nowhere = good.clone();
    nowhere.launches[0].kernel = 1;
    let mut constant = good.clone();
    constant.constants = vec![2];
    let mut never = good.clone();
    never.launches.clear();
    let mut uncounted = good.clone();
    uncounted.launches[0].grid = [1 << 32, 1 << 31, 1];
    let mut in_groups = good.clone();
    in_groups.launches[0].group = Some([usize::MAX, 1, 1]);
    for plan in [short, unknown, unwritten, few, nowhere, constant, never, uncounted, in_groups] {
        let error = load(&Device::cpu(), &plan, &signature).err();
        assert!(matches!(error, Some(Error::Inconsistent { .. })), "{error:?}");
    }
}

#[test]
fn memory_that_is_not_there_is_said_so() {
    for length in [1 << 45, usize::MAX / 4, usize::MAX] {
        let (mut plan, signature) = pairwise(Op::Add, Scalar::F32, 8);
        plan.buffers.push(buffer("huge", Scalar::F64, length, Role::Temporary));
        for device in devices() {
            let eight = Array1::<f32>::zeros(8);
            let arguments = [f32::argument(eight.view().into_dyn()), f32::argument(eight.view().into_dyn())];
            match load(&device, &plan, &signature).and_then(|compiled| compiled.run(&arguments)) {
                Err(error @ Error::OutOfMemory { bytes, .. }) => {
                    assert!(bytes >= length as u128 * 8, "{bytes}");
                    assert!(error.to_string().contains(" needs "), "{error}");
                }
                other => panic!("{device}: {:?}", other.err()),
            }
        }
    }
}

#[test]
fn devices_have_names() {
    let all = devices();
    assert_eq!((all[0].name().as_str(), all[0].kind()), ("cpu", Kind::BuiltIn));
    assert_eq!(Device::named(" CPU ").unwrap().kind(), Kind::BuiltIn);
    let Some(other) = all.get(1) else { return };
    assert_eq!(Device::named("OpenCL").unwrap().name(), other.name());
    assert_eq!(Device::named(&other.name()).unwrap().name(), other.name());
    let error = Device::named("no such thing").unwrap_err();
    assert!(
        error.to_string().contains("there is no device named `no such thing`; there are: `cpu`, `"),
        "{error}"
    );
    if other.to_string().contains("Portable Computing Language") {
        assert_eq!(Device::named("pocl").unwrap().name(), other.name());
    }
}

#[test]
fn no_compiler_is_said_so() {
    let settings = Settings { cache: None, compiler: Some("/nowhere/cc -O".into()), ..Settings::default() };
    let (plan, signature) = two_kernels(8);
    let error = load(&Device::cpu_with(&settings), &plan, &signature).err().unwrap();
    assert!(matches!(&error, Error::NoCompiler { tried } if tried == &["/nowhere/cc -O"]), "{error}");
    assert!(error.to_string().contains("apt install gcc"), "{error}");
}

/// Runs one of the ignored tests below in a process of its own, with other variables.
fn child(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture"]).envs(variables.iter().copied());
    // It would name drivers outside the folder that a test shows to the loader.
    for variable in ["OCL_ICD_FILENAMES", "OPENCL_DYLIB_PATH", "RUSTICL_ENABLE"] {
        command.env_remove(variable);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn no_driver_is_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    child("in_child_no_driver", &[("OCL_ICD_VENDORS", empty), ("OPENCL_VENDOR_PATH", empty)]);
    child("in_child_no_loader", &[("LIFT_OPENCL", "/nowhere/libOpenCL.so")]);
}

/// The driver of a board, without a loader: it lists a platform, and no device.
#[cfg(unix)]
#[test]
fn a_library_that_is_named_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let [source, library] = ["fake.c", "libfake.so"].map(|name| folder.path().join(name));
    std::fs::write(&source, FAKE).unwrap();
    let done =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().unwrap();
    assert!(done.success());
    child("in_child_named_library", &[("LIFT_OPENCL", library.to_str().unwrap())]);
}

const FAKE: &str = r#"
#include <string.h>
static int platform;
int clGetPlatformIDs(unsigned n, void **all, unsigned *count) {
    if (n > 0 && all) all[0] = &platform;
    if (count) *count = 1;
    return 0;
}
int clGetPlatformInfo(void *p, unsigned what, size_t size, void *value, size_t *wanted) {
    static const char text[] = "rusticl";
    if (value && size >= sizeof text) memcpy(value, text, sizeof text);
    if (wanted) *wanted = sizeof text;
    return 0;
}
int clGetDeviceIDs(void *p, unsigned long kind, unsigned n, void **all, unsigned *count) {
    if (count) *count = 0;
    return -1;
}
"#;

#[test]
#[ignore = "run by a_library_that_is_named_is_used"]
fn in_child_named_library() {
    let error = Device::named("opencl").unwrap_err();
    assert!(matches!(error, Error::NoDriver(NoDriver::Device)), "{error}");
    let found = lift_runtime::drivers::find();
    assert_eq!(found.libraries.len(), 1);
    assert_eq!(found.platforms.len(), 1);
    let printed = found.to_string();
    assert!(printed.contains("libfake.so: lists one platform"), "{printed}");
    assert!(printed.contains("RUSTICL_ENABLE=panfrost"), "{printed}");
    // What is started by this process finds its own.
    assert_eq!(std::env::var_os("OPENCL_DYLIB_PATH"), None);
}

#[test]
#[ignore = "run by no_driver_is_said_so"]
fn in_child_no_driver() {
    no_opencl(NoDriver::Driver);
}

#[test]
#[ignore = "run by no_driver_is_said_so"]
fn in_child_no_loader() {
    no_opencl(NoDriver::Loader);
}

fn no_opencl(expected: NoDriver) {
    for name in ["pocl", "opencl", "anything"] {
        let error = Device::named(name).unwrap_err();
        // A machine without even a loader says so in both cases.
        assert!(
            matches!(error, Error::NoDriver(got) if got == expected || got == NoDriver::Loader),
            "{error:?}"
        );
        assert!(error.to_string().contains("apt install pocl-opencl-icd"), "{error}");
    }
    assert_eq!(Device::all().len(), 1);
    assert_eq!(Device::best().unwrap().kind(), Kind::BuiltIn);
}

#[test]
fn the_environment_chooses_device_and_compiler() {
    child("in_child_device_cpu", &[("LIFT_DEVICE", "cpu")]);
    child("in_child_device_best", &[("LIFT_DEVICE", "")]);
    child("in_child_no_such_device", &[("LIFT_DEVICE", "never heard of")]);
    child("in_child_no_compiler", &[("CC", "/nowhere/cc")]);
}

#[test]
#[ignore = "run by the_environment_chooses_device_and_compiler"]
fn in_child_device_cpu() {
    assert_eq!(Device::from_env().unwrap().kind(), Kind::BuiltIn);
}

#[test]
#[ignore = "run by the_environment_chooses_device_and_compiler"]
fn in_child_device_best() {
    assert_eq!(Device::from_env().unwrap().name(), Device::best().unwrap().name());
}

#[test]
#[ignore = "run by the_environment_chooses_device_and_compiler"]
fn in_child_no_such_device() {
    assert!(matches!(Device::from_env(), Err(Error::NoSuchDevice { .. } | Error::NoDriver(_))));
}

#[test]
#[ignore = "run by the_environment_chooses_device_and_compiler"]
fn in_child_no_compiler() {
    let (plan, signature) = two_kernels(8);
    let error = load(&Device::cpu(), &plan, &signature).err().unwrap();
    assert!(matches!(error, Error::NoCompiler { .. }), "{error}");
    match Device::best() {
        Ok(device) => assert_ne!(device.kind(), Kind::BuiltIn),
        Err(error) => assert!(matches!(error, Error::NoCompiler { .. }), "{error}"),
    }
}

/// pocl loads what lies in its own cache.
#[cfg(unix)]
#[test]
fn a_driver_does_not_load_what_others_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let below = folder.path().join("pocl").to_str().unwrap().to_string();
    child("in_child_open_cache", &[("POCL_CACHE_DIR", &below)]);
}

#[test]
#[ignore = "run by a_driver_does_not_load_what_others_wrote"]
fn in_child_open_cache() {
    let (plan, signature) = two_kernels(8);
    for device in devices().iter().filter(|d| d.to_string().contains("Portable Computing Language")) {
        let error = load(device, &plan, &signature).err().unwrap();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("others may write to"), "{error}");
        assert!(error.to_string().contains("POCL_CACHE_DIR"), "{error}");
    }
}

/// Started by root as another user's set-uid program: then neither the caller's compiler nor the caller's cache
/// are used, and no library that a variable names.
#[cfg(target_os = "linux")]
#[test]
fn a_set_uid_program_does_not_obey_its_caller() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let folder = tempfile::tempdir().unwrap();
    let mode = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(folder.path(), 0o777);
    let program = folder.path().join("program");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    if chown(&program, Some(65534), Some(65534)).is_err() {
        eprintln!("only root can give a program to somebody else");
        return;
    }
    mode(&program, 0o4755);
    // Some file systems know no set-uid programs.
    let id = folder.path().join("id");
    std::fs::copy("/usr/bin/id", &id).and_then(|_| chown(&id, Some(65534), Some(65534))).unwrap();
    mode(&id, 0o4755);
    if Command::new(&id).arg("-u").output().unwrap().stdout != b"65534\n" {
        eprintln!("the temporary folder is mounted with `nosuid`");
        return;
    }
    std::fs::remove_file(id).unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\ntouch \"$0.was.run\"\nexec cc \"$@\"\n").unwrap();
    mode(&script, 0o755);
    let mut command = Command::new(&program);
    command.args(["--exact", "in_child_elevated", "--ignored", "--nocapture"]);
    command.env("CC", &script).env("XDG_CACHE_HOME", folder.path()).env("HOME", folder.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{errors}");
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["program", "script"]);
}

#[test]
#[ignore = "run by a_set_uid_program_does_not_obey_its_caller"]
fn in_child_elevated() {
    assert_eq!(Settings::default().cache, None);
    assert_eq!(Device::all().len(), 1);
    assert!(matches!(Device::named("opencl"), Err(Error::NoDriver(NoDriver::Elevated))));
    let (plan, signature) = two_kernels(8);
    load(&Device::cpu(), &plan, &signature).unwrap();
}
