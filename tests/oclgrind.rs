//! The OpenCL kernels of every program in `programs/` run clean under oclgrind: no access outside a buffer,
//! no data race, nothing used before it was written, no wrong call of the API.
//!
//! oclgrind puts itself in the place of OpenCL in a process that it starts: each test starts this
//! test binary once more under it, as [`child`].

mod by_hand;
mod common;
mod drawn;
mod generator;
mod nests;
mod programs;
mod unplaced;

use by_hand::Placed;
use common::{Trial, compare, devices, hunt, shapes, values};
use lift::target::Target;
use lift_core::constraints::{Limits, Placements, place};
use lift_core::kernel::Plan;
use lift_core::schedules::{BLOCKED, SCANS, SCHEDULES, Schedule};
use lift_runtime::{Device, Settings};
use ndarray::ArrayD;
use nests::Effort;
use programs::Case;
use std::process::Command;

/// Sizes up to this: the simulator is slow, and what it looks for shows early.
const LARGEST: usize = 5;
const SHAPES: usize = 2;

/// The same for what schedules derive, and for what the solver places.
const EFFORT: Effort = Effort { seed: 1, selections: 2, points: 2 };
const PLACED_OF_EACH: usize = 4;

/// What the child does: a family of programs, or a kernel that is wrong.
const TASK: &str = "LIFT_OCLGRIND_TASK";

/// What a process under oclgrind left: whether it succeeded, what it printed, what oclgrind found.
struct Outcome {
    success: bool,
    printed: String,
    findings: String,
}

/// Runs a task under oclgrind; `None` if it is not installed.
fn under_oclgrind(task: &str) -> Option<Outcome> {
    if Command::new("oclgrind").arg("--version").output().is_err() {
        devices::skip("oclgrind is not installed", "apt install oclgrind");
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let log = folder.path().join("log");
    let this = std::env::current_exe().expect("this test binary");
    let output = Command::new("oclgrind")
        // Unoptimised: an access that the compiler sees to be pointless is looked at, too, and the
        // check for unwritten values knows every instruction.
        .args(["--build-options", "-cl-opt-disable", "--data-races", "--check-api", "--uninitialized"])
        .args(["--max-errors", "20", "--log"])
        .arg(&log)
        .arg(this)
        .args(["child", "--exact", "--nocapture"])
        .env(TASK, task)
        // oclgrind preloads its OpenCL, which a library that is opened by name goes past.
        .env("OPENCL_DYLIB_PATH", "liboclgrind-rt.so")
        .output()
        .expect("oclgrind runs");
    let printed =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    let findings = std::fs::read_to_string(log).unwrap_or_default();
    Some(Outcome { success: output.status.success(), printed, findings })
}

/// Runs inside oclgrind; alone it has nothing to do.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    match programs::FAMILIES.iter().find(|(name, _)| *name == task) {
        Some((_, family)) => family.iter().for_each(|case| run(case, 5, SHAPES)),
        None if task == PLACED => by_hand_programs().for_each(run_placed),
        None if task == SCANNED => SHARED.iter().for_each(|nest| {
            run_derived(&SCANS, nest, Effort { seed: 1, selections: 16, points: 14 });
            println!("finished {}", (nest.0)().name());
        }),
        None if task == DERIVED => (1..).zip(everyday_nests()).for_each(|(seed, nest)| {
            SCHEDULES.iter().for_each(|schedule| run_derived(schedule, nest, Effort { seed, ..EFFORT }));
            println!("finished {}", (nest.0)().name());
        }),
        None if task == PLACEMENTS => {
            unplaced_nests().for_each(|nest| run_placements(nest, 7, PLACED_OF_EACH))
        }
        None if task == HUNT => hunted(),
        None => match task.strip_prefix(WITHOUT).and_then(|k| k.parse().ok()) {
            Some(k) => wrong::run_plan(&blocked(), &without_barrier(&blocked().opencl(), k)),
            None => wrong::run(&task),
        },
    }
}

/// The task of running a kernel without the barrier of this number.
const WITHOUT: &str = "without barrier ";

/// A convolution in blocks that the work-items of a group share: four of them, and eighteen blocks of terms.
fn blocked() -> Plan {
    let candidate = BLOCKED.derive(nests::nhwc::program(), &["ahead"]).expect("it applies");
    let program = &candidate.program;
    // K, C, H, W; GM, GN, TM, TN, BK, vectors of one, and no pitch.
    let point = [2, 4, 2, 2, 2, 2, 1, 1, 2, 1, 1, 0];
    let sizes = shapes::named(program, &mut point.into_iter());
    lift_core::compile(program, &sizes, &Target::default()).expect("the point fits")
}

fn without_barrier(text: &str, number: usize) -> String {
    let mut seen = 0;
    let kept = text.lines().filter(|line| {
        seen += usize::from(is_barrier(line));
        !(is_barrier(line) && seen == number + 1)
    });
    kept.collect::<Vec<_>>().join("\n")
}

fn is_barrier(line: &str) -> bool {
    line.trim_start().starts_with("barrier(")
}

/// Each barrier is needed: without it two work-items race.
#[test]
fn a_missing_barrier_is_found() {
    let barriers = blocked().opencl().lines().filter(|line| is_barrier(line)).count();
    assert_eq!(barriers, 2, "{}", blocked().opencl());
    for k in 0..=barriers {
        let Some(Outcome { success, printed, findings }) = under_oclgrind(&format!("{WITHOUT}{k}")) else {
            return;
        };
        assert!(success, "{printed}");
        // The last is the kernel as it is.
        assert_eq!(
            findings.contains("data race"),
            k < barriers,
            "without barrier {k}: {findings}\n{printed}"
        );
    }
}

/// The task of running what is placed by hand.
const PLACED: &str = "placed";

fn by_hand_programs() -> impl Iterator<Item = &'static Placed> {
    [by_hand::CONVOLUTIONS, by_hand::LOCAL_MEMORY, by_hand::REGISTERS].into_iter().flatten()
}

/// At its last points, which are small and odd.
fn run_placed(placed: &Placed) {
    let (program, random) = ((placed.program)(), &mut fastrand::Rng::with_seed(7));
    let points = placed.points.iter().rev().take(2);
    for point in points {
        let sizes = shapes::named(program, &mut point.iter().copied());
        let trial = Trial::new(program, sizes, (-9.0, 9.0), random);
        println!("{} at {}", program.name(), trial.sizes);
        let expected = trial.interpret().expect("the point fits");
        let expected: Vec<_> = expected.iter().map(values::to_f64).collect();
        let got = trial.run_at(&simulator(), point).expect("it runs");
        assert_eq!(compare::check(&got, &expected), Ok(()), "{} at {}", program.name(), trial.sizes);
    }
    println!("finished {}", program.name());
}

/// The task of running what schedules derive.
const DERIVED: &str = "derived";

/// Every other one; `scripts/hunt` takes them all.
fn everyday_nests() -> impl Iterator<Item = &'static nests::Nest> {
    nests::NESTS.iter().step_by(2)
}

/// The task of running prefix sums that a group shares in all ways that there are.
const SCANNED: &str = "scanned";

const SHARED: &[nests::Nest] = &[(nests::prefix::program, &[256]), (nests::weighted::program, &[2, 50])];

/// What a schedule makes of a nest.
fn run_derived(schedule: &Schedule, (program, sizes): &nests::Nest, effort: Effort) {
    let (program, random) = (program(), &mut fastrand::Rng::with_seed(effort.seed));
    let meant = Trial::new(program, shapes::named(program, &mut sizes.iter().copied()), (-9.0, 9.0), random);
    let expected: Vec<_> = meant.interpret().expect("the sizes fit").iter().map(values::to_f64).collect();
    for nests::Form { candidate, points } in nests::forms(schedule, program, sizes, effort) {
        for point in points {
            let (sized, arguments) = (meant.sizes.clone(), meant.arguments.clone());
            let program = &nests::placed(&candidate, &point);
            let derived = Trial { program, sizes: sized, arguments };
            let (name, options) = (program.name(), &candidate.options);
            let what = format!("{name} by {} {options:?} at {point:?}", schedule.name);
            let all = shapes::named(program, &mut point.iter().copied());
            if !has_room(&lift_core::compile(program, &all, &Target::default()).expect("the point fits")) {
                continue;
            }
            println!("{what}");
            let got = derived.run_at(&simulator(), &point).expect("it runs");
            assert_eq!(compare::check(&got, &expected), Ok(()), "{what}");
        }
    }
}

/// Points are drawn whatever a device has room for, and the simulator counts the local memory of all kernels of a program
/// together.
fn has_room(plan: &Plan) -> bool {
    let local: usize = plan.report().kernels.iter().map(|kernel| kernel.local).sum();
    local as i64 <= Limits::default().local
}

/// The task of running placements that the solver finds.
const PLACEMENTS: &str = "placements";

fn unplaced_nests() -> impl Iterator<Item = &'static unplaced::Nest> {
    unplaced::NESTS.iter().chain(unplaced::LARGE)
}

/// So many of those that there are.
fn run_placements(nest: &unplaced::Nest, seed: u64, most: usize) {
    let (program, random) = ((nest.program)(), &mut fastrand::Rng::with_seed(seed));
    let sizes = shapes::named(program, &mut nest.sizes.iter().copied());
    let meant = Trial::new(program, sizes.clone(), (-2.0, 2.0), random);
    let expected: Vec<_> = meant.interpret().expect("the point fits").iter().map(values::to_f64).collect();
    let placements = Placements::of(program, &sizes, Some(Limits::default()), false).expect("it is placed");
    for placement in placements.sample(seed).take(most) {
        let placed = place(&placements, &placement);
        println!("{} at {placement}", program.name());
        let trial = Trial { program: &placed, sizes: sizes.clone(), arguments: meant.arguments.clone() };
        let got = trial.run_at(&simulator(), nest.sizes).expect("it runs");
        assert_eq!(compare::check(&got, &expected), Ok(()), "{} at {placement}", program.name());
    }
    println!("finished {}", program.name());
}

fn run(case: &Case, seed: u64, count: usize) {
    let program = (case.program)();
    let random = &mut fastrand::Rng::with_seed(seed);
    let largest: Vec<usize> = case.largest.iter().map(|n| LARGEST.min(*n)).collect();
    for sizes in shapes::random(program, &largest, count, random) {
        let trial = Trial::new(program, sizes, case.range, random);
        let sizes: Vec<usize> = trial.sizes.0.iter().map(|(_, n)| *n as usize).collect();
        let arguments: Vec<ArrayD<f64>> = trial.arguments.iter().map(values::to_f64).collect();
        println!("{} at {}", program.name(), trial.sizes);
        let results = trial.run(&simulator()).expect("it runs");
        let verdict = compare::check(&results, &(case.expected)(&sizes, &arguments));
        assert_eq!(verdict, Ok(()), "{} at {}", program.name(), trial.sizes);
    }
    println!("finished {}", program.name());
}

/// The task of running some of all these as long as there is time.
const HUNT: &str = "hunt";

fn hunted() {
    let cases: Vec<&Case> = programs::all().collect();
    let nests: Vec<&unplaced::Nest> = unplaced_nests().collect();
    let mut tried = 0;
    for (kind, seed) in hunt::turns(4) {
        println!("seed {seed}");
        let random = &mut fastrand::Rng::with_seed(seed);
        match kind {
            0 => run(random.choice(cases.iter()).expect("some"), seed, 1),
            1 => {
                let schedule = random.choice(SCHEDULES).expect("some");
                let nest = random.choice(nests::NESTS).expect("some");
                run_derived(schedule, nest, Effort { seed, ..EFFORT });
            }
            2 => run_placements(random.choice(nests.iter()).expect("some"), seed, 1),
            _ => run_pair(random.choice(SCHEDULES).expect("some"), seed),
        }
        tried += 1;
    }
    println!("hunted: {tried} programs under oclgrind");
}

/// A random program in a random form.
fn run_pair(schedule: &Schedule, seed: u64) {
    let Some((function, mut random)) = drawn::drawn(schedule, seed) else { return };
    let Ok(programs) = lift_core::check(std::slice::from_ref(&function)) else { return };
    let Some(candidate) = drawn::form(schedule, &programs[0], &mut random) else { return };
    let Some((sizes, points)) = drawn::fitting(&programs[0], &candidate, 1, &mut random) else { return };
    let meant = drawn::Meant::new(&programs[0], sizes, &mut random).expect("it has a value");
    for (meant, point) in meant.iter().zip(&points) {
        let (options, at) = (&candidate.options, drawn::named(&candidate, point));
        let what =
            format!("{} by {} {options:?} at {at}", generator::print::function(&function), schedule.name);
        println!("{what}");
        let placed = candidate.placed(&at, Limits::default());
        let plan = placed.and_then(|program| lift_core::compile(&program, &at, &Target::default()));
        if !plan.is_ok_and(|plan| has_room(&plan)) {
            continue;
        }
        let compared = drawn::same(&candidate, point, meant, Some(&simulator()));
        assert!(compared.is_ok(), "{what}: {compared:?}");
    }
}

/// oclgrind's device. Nothing is kept on disk: the simulator's binaries are its own.
fn simulator() -> Device {
    let all = Device::all_with(&Settings { cache: None, ..Settings::default() });
    all.into_iter().find(devices::is_simulator).expect("oclgrind's device is there")
}

macro_rules! families {
    ($($family:ident)*) => {
        $(#[test]
        fn $family() {
            let Some(outcome) = under_oclgrind(stringify!($family)) else { return };
            let Outcome { success, printed, findings } = outcome;
            assert!(success, "{printed}\n{findings}");
            assert!(findings.is_empty(), "{findings}\n{printed}");
            for case in programs::$family::CASES {
                let finished = format!("finished {}\n", (case.program)().name());
                assert!(printed.contains(&finished), "{printed}");
            }
        })*

        #[test]
        fn every_family_is_tested() {
            let there = programs::FAMILIES.map(|(name, _)| name);
            assert_eq!(there, [$(stringify!($family)),*]);
        }
    };
}

families!(best convolution forms general image iterative linear pooling softmax stencil sums transposed);

#[test]
fn placed_by_hand() {
    let Some(Outcome { success, printed, findings }) = under_oclgrind(PLACED) else { return };
    assert!(success, "{printed}\n{findings}");
    assert!(findings.is_empty(), "{findings}\n{printed}");
    for placed in by_hand_programs() {
        let finished = format!("finished {}\n", (placed.program)().name());
        assert!(printed.contains(&finished), "{printed}");
    }
}

#[test]
fn derived_by_schedules() {
    let Some(Outcome { success, printed, findings }) = under_oclgrind(DERIVED) else { return };
    assert!(success, "{printed}\n{findings}");
    assert!(findings.is_empty(), "{findings}\n{printed}");
    for (program, _) in everyday_nests() {
        assert!(printed.contains(&format!("finished {}\n", program().name())), "{printed}");
    }
}

#[test]
fn prefix_sums_of_groups() {
    let Some(Outcome { success, printed, findings }) = under_oclgrind(SCANNED) else { return };
    assert!(success, "{printed}\n{findings}");
    assert!(findings.is_empty(), "{findings}\n{printed}");
    assert!(printed.contains("\"carried\""), "{printed}");
    for (program, _) in SHARED {
        assert!(printed.contains(&format!("finished {}\n", program().name())), "{printed}");
    }
}

#[test]
fn placed_by_the_solver() {
    let Some(Outcome { success, printed, findings }) = under_oclgrind(PLACEMENTS) else { return };
    assert!(success, "{printed}\n{findings}");
    assert!(findings.is_empty(), "{findings}\n{printed}");
    for nest in unplaced_nests() {
        let finished = format!("finished {}\n", (nest.program)().name());
        assert!(printed.contains(&finished), "{printed}");
    }
}

#[test]
#[ignore = "scripts/hunt runs it"]
fn some_of_all_these() {
    let Some(Outcome { success, printed, findings }) = under_oclgrind(HUNT) else { return };
    assert!(success, "{printed}\n{findings}");
    assert!(findings.is_empty(), "{findings}\n{printed}");
    let hunted = printed.lines().find(|line| line.starts_with("hunted: "));
    println!("{}", hunted.expect("it says what it tried"));
}

/// Without these, a check that finds nothing would pass for one that looks.
#[test]
fn what_is_wrong_is_found() {
    for (task, _, sign) in wrong::KERNELS {
        let Some(outcome) = under_oclgrind(task) else { return };
        assert!(outcome.findings.contains(sign), "{task}: {}\n{}", outcome.findings, outcome.printed);
    }
}

/// Kernels with one mistake each, run through the bare API.
mod wrong {
    use lift_core::kernel::Plan;
    use opencl3::command_queue::CommandQueue;
    use opencl3::context::Context;
    use opencl3::device::Device;
    use opencl3::kernel::Kernel;
    use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
    use opencl3::platform::get_platforms;
    use opencl3::program::Program;
    use opencl3::types::cl_float;

    const LENGTH: usize = 16;

    /// Name, text, and what oclgrind says to it.
    pub const KERNELS: [(&str, &str, &str); 3] = [
        ("race", "kernel void race(global float* xs) { xs[0] = xs[get_global_id(0)] + 1.0f; }", "data race"),
        (
            "outside",
            "kernel void outside(global float* xs) { xs[get_global_id(0) + 1] = 1.0f; }",
            "Invalid write",
        ),
        (
            "unwritten",
            "kernel void unwritten(global float* xs) { \
                float own[4]; own[get_global_id(0) % 2] = 1.0f; xs[get_global_id(0)] = own[3]; \
            }",
            "ninitialized",
        ),
    ];

    pub fn run(task: &str) {
        let (name, text, _) = KERNELS.iter().find(|(name, ..)| *name == task).expect("a known task");
        run_text(
            text,
            &[Launched { name: name.to_string(), buffers: vec![0], grid: [LENGTH, 1, 1], group: None }],
            &[LENGTH],
        );
    }

    /// The kernels of a plan in another text.
    pub fn run_plan(plan: &Plan, text: &str) {
        let names = plan.modules[0].kernel_names();
        let launches = plan.launches.iter().map(|launch| Launched {
            name: names[launch.kernel].clone(),
            buffers: launch.arrays.iter().map(|id| id.0).collect(),
            grid: launch.global(),
            group: launch.group,
        });
        let lengths: Vec<usize> = plan.buffers.iter().map(|buffer| buffer.length).collect();
        run_text(text, &launches.collect::<Vec<_>>(), &lengths);
    }

    struct Launched {
        name: String,
        buffers: Vec<usize>,
        grid: [usize; 3],
        group: Option<[usize; 3]>,
    }

    /// Runs kernels with buffers of so many floats.
    fn run_text(text: &str, launches: &[Launched], lengths: &[usize]) {
        let devices = get_platforms().expect("platforms")[0]
            .get_devices(opencl3::device::CL_DEVICE_TYPE_ALL)
            .expect("devices");
        let context = Context::from_device(&Device::new(devices[0])).expect("a context");
        let queue = CommandQueue::create_default_with_properties(&context, 0, 0).expect("a queue");
        let program = Program::create_and_build_from_source(&context, text, "").expect("it builds");
        let buffer = |length: &usize| {
            // SAFETY: no host pointer is given.
            let mut buffer = unsafe {
                Buffer::<cl_float>::create(&context, CL_MEM_READ_WRITE, *length, std::ptr::null_mut())
            }
            .expect("a buffer");
            // SAFETY: the vector lives until the write, which blocks, is done.
            unsafe { queue.enqueue_write_buffer(&mut buffer, 1, 0, &vec![0.0; *length], &[]) }
                .expect("it writes");
            buffer
        };
        let buffers: Vec<Buffer<cl_float>> = lengths.iter().map(buffer).collect();
        for Launched { name, buffers: arguments, grid, group } in launches {
            let kernel = Kernel::create(&program, name).expect("a kernel");
            let group = group.as_ref().map_or(std::ptr::null(), |group| group.as_ptr());
            // SAFETY: the arguments are of the kernel's types. That some kernels leave their buffer is the
            // point; only the simulator runs them.
            unsafe {
                for (k, buffer) in (0..).zip(arguments) {
                    kernel.set_arg(k, &buffers[*buffer]).expect("an argument");
                }
                queue
                    .enqueue_nd_range_kernel(kernel.get(), 3, std::ptr::null(), grid.as_ptr(), group, &[])
                    .expect("it starts");
            }
        }
        queue.finish().expect("it runs");
    }
}
