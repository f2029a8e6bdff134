//! What devices keep between runs and what they allocate: exactly what the plan says.

mod beside;
mod common;
mod nests;

use beside::uneven;
use common::{Trial, compare, devices, shapes, values};
use lift::prelude::*;
use lift::schedules::SCHEDULES;
use lift::target::Target;
use lift::{Compiled, Kind, Program};
use lift_core::kernel::{ALIGNED, Plan, Purpose};
use nests::{Effort, Form, NESTS, forms, placed};
use std::sync::Arc;

lift! {
    /// The sum of the weights depends on them alone.
    pub fn weighted<N, M>(const weights: [f32; M], const scale: f32, xs: [f32; N]) -> [f32; N] {
        let total = reduce(0.0, |sum, w| sum + w * scale, weights);
        map(|x| x * total, xs)
    }
    /// Here one parameter more is in the sum, and that is no constant.
    pub fn shifted<N, M>(const weights: [f32; M], shift: f32, xs: [f32; N]) -> [f32; N] {
        let total = reduce(0.0, |sum, w| sum + w + shift, weights);
        map(|x| x * total, xs)
    }
    /// Two kernels for the constants, the second of which reads what the first wrote.
    pub fn in_two_steps<N>(const weights: [f32; N], xs: [f32; N]) -> [f32; N] {
        let doubled = toGlobal(mapGlb(0, |w| w * 2.0, weights));
        let turned = toGlobal(mapGlb(0, |w| w + 1.0, reverse(doubled)));
        mapGlb(0, |(x, w)| x + w, zip(xs, reverse(turned)))
    }
    /// A chain, in which each array is needed by the next kernel only.
    pub fn chain<N>(xs: [f32; N]) -> [f32; N] {
        let a = toGlobal(mapGlb(0, |x| x + 1.0, xs));
        let b = toGlobal(mapGlb(0, |x| x * 2.0, reverse(a)));
        let c = toGlobal(mapGlb(0, |x| x - 3.0, reverse(b)));
        let d = toGlobal(mapGlb(0, |x| x * x, reverse(c)));
        mapGlb(0, |x| x + 0.5, reverse(d))
    }
    /// Of three intermediate arrays the first is needed to the end.
    pub fn skip<N>(xs: [f32; N]) -> [f32; N] {
        let a = toGlobal(mapGlb(0, |x| x + 1.0, xs));
        let b = toGlobal(mapGlb(0, |x| x * 2.0, reverse(a)));
        let c = toGlobal(mapGlb(0, |x| x - 3.0, reverse(b)));
        mapGlb(0, |(x, y)| x + y, zip(a, reverse(c)))
    }
    /// Rounds that write two arrays in turn, from a constant on.
    pub fn rounds<N>(const start: [f32; N], xs: [f32; N]) -> [f32; N] {
        let end = iterate(5, |ys| map(|y| 2.0 * y, reverse(ys)), start);
        map(|(x, y)| x + y, zip(xs, reverse(end)))
    }
    /// A result that depends on constants alone is written all the same.
    pub fn constant_result<N>(const xs: [f32; N]) -> [f32; N] {
        map(|x| x + 1.0, xs)
    }
}

fn plan(program: &Program, sizes: &[usize]) -> Plan {
    lift_core::compile(program, &shapes::named(program, &mut sizes.iter().copied()), &Target::default())
        .expect("it compiles")
}

/// For each launch, in order, whether it prepares.
fn prepares(program: &Program, sizes: &[usize]) -> Vec<bool> {
    plan(program, sizes).memory().prepares
}

#[test]
fn what_depends_on_constants_alone_is_prepared() {
    assert_eq!(prepares(weighted::program(), &[4, 3]), [true, false]);
    assert_eq!(prepares(shifted::program(), &[4, 3]), [false, false]);
    assert_eq!(prepares(in_two_steps::program(), &[4]), [true, true, false]);
    assert_eq!(prepares(chain::program(), &[4]), [false; 5]);
    assert_eq!(prepares(constant_result::program(), &[4]), [false]);
    let rounds = prepares(rounds::program(), &[4]);
    assert_eq!((rounds.iter().filter(|p| !**p).count(), rounds.last()), (1, Some(&false)));
}

#[test]
fn what_is_not_needed_at_the_same_time_shares_memory() {
    let bytes = |program: &Program, sizes: &[usize]| {
        let memory = plan(program, sizes).memory();
        let other = Purpose::Temporary;
        [memory.bytes_for(Purpose::Prepared), memory.bytes_for(other), memory.bytes()]
    };
    // Arrays of 4 * 100 bytes: those of the caller, and what is between.
    assert_eq!(bytes(chain::program(), &[100]), [0, 800, 1600]);
    assert_eq!(bytes(skip::program(), &[100]), [0, 1200, 2000]);
    assert_eq!(bytes(in_two_steps::program(), &[100]), [400, 400, 1600]);
    assert_eq!(bytes(weighted::program(), &[100, 50]), [4, 0, 804]);
}

#[test]
fn arrays_lie_beside_each_other_where_a_larger_one_was() {
    let sizes = [1024];
    let plan = plan(uneven::program(), &sizes);
    let memory = plan.memory();
    // Of 4, 1, 3 and 3 times 4096 bytes.
    assert_eq!(memory.bytes_for(Purpose::Temporary), 6 * 4096);
    let within: Vec<usize> = memory.locations.iter().map(|at| at.offset).filter(|at| *at > 0).collect();
    assert_eq!(within.len(), 2, "{memory:?}");
    let named = shapes::named(uneven::program(), &mut sizes.into_iter());
    let trial = Trial::new(uneven::program(), named, (-1.0, 1.0), &mut fastrand::Rng::with_seed(4));
    let expected: Vec<_> = trial.interpret().expect("it is").iter().map(values::to_f64).collect();
    for device in devices::all() {
        compare::check(&trial.run(device).expect("it runs"), &expected)
            .unwrap_or_else(|e| panic!("{device}: {e}"));
    }
}

/// At any time each byte is one array's.
#[test]
fn arrays_that_are_needed_at_the_same_time_lie_apart() {
    let all = NESTS.iter().map(|(program, sizes)| (program(), sizes.to_vec()));
    let mut beside = 0;
    for (program, sizes) in all.chain([(uneven::program(), vec![1024]), (skip::program(), vec![2000])]) {
        let plan = plan(program, &sizes);
        let memory = plan.memory();
        // Launches that prepare come first.
        let order = |preparing: bool| {
            let these = plan.launches.iter().zip(&memory.prepares);
            these.filter(move |(_, prepares)| **prepares == preparing).map(|(launch, _)| launch)
        };
        let order: Vec<_> = order(true).chain(order(false)).collect();
        let life = |k: usize| {
            let mut reads = (0..order.len()).filter(|time| order[*time].arrays.iter().any(|id| id.0 == k));
            reads.next().map(|first| (first, reads.next_back().unwrap_or(first)))
        };
        for (a, b) in (0..plan.buffers.len()).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let (Some((from, to)), Some((start, end))) = (life(a), life(b)) else { continue };
            let [at, other] = [a, b].map(|k| (memory.locations[k], plan.buffers[k].bytes()));
            if at.0.slot == other.0.slot && from <= end && start <= to {
                let apart = at.0.offset + at.1 <= other.0.offset || other.0.offset + other.1 <= at.0.offset;
                assert!(apart, "{}: {} and {}", plan.name, plan.buffers[a].name, plan.buffers[b].name);
                beside += 1;
            }
        }
        assert!(memory.locations.iter().all(|at| at.offset.is_multiple_of(ALIGNED)));
    }
    assert!(beside > 0);
}

/// Of weights that are packed, and not read otherwise, only the packed ones stay on the device.
#[test]
fn constants_that_only_prepared_arrays_are_made_of_are_freed() {
    let sources = |program: &Program, sizes: &[usize]| {
        let memory = plan(program, sizes).memory();
        (memory.bytes_for(Purpose::Source), memory.bytes_to_prepare() - memory.bytes())
    };
    assert_eq!(sources(weighted::program(), &[100, 50]), (200, 200));
    assert_eq!(sources(in_two_steps::program(), &[100]), (400, 400));
    // Read in every run.
    assert_eq!(sources(shifted::program(), &[100, 50]), (0, 0));
    assert_eq!(sources(constant_result::program(), &[100]), (0, 0));
}

/// Every device, and the program built for it.
fn compiled(program: &Program, sizes: &[usize]) -> impl Iterator<Item = Arc<Compiled>> {
    devices::all().iter().map(move |d| lift::compile(program, d, sizes).expect("it builds"))
}

#[test]
fn constants_are_prepared_once_and_again_when_they_change() {
    for layer in compiled(weighted::program(), &[3, 2]) {
        let device = layer.device();
        let mut weights = array![1.0f32, 2.0];
        let xs = array![1.0f32, 10.0, 100.0];
        // What came out, and how many kernels ran for the constants and for the call.
        let run = |weights: &Array1<f32>, scale: f32| {
            let (mut outputs, times) =
                layer.run_timed(&[weights.into(), scale.into(), (&xs).into()]).expect("it runs");
            let output: Vec<f32> = outputs.remove(0).into_array().expect("floats").into_iter().collect();
            (output[0], times.prepare.len(), times.kernels.len())
        };
        assert_eq!(layer.allocated(), 0, "{device}");
        assert_eq!(run(&weights, 1.0), (3.0, 1, 1), "{device}: the first time");
        assert_eq!(run(&weights, 1.0), (3.0, 0, 1), "{device}: nothing changed");
        assert_eq!(run(&weights.clone(), 1.0), (3.0, 0, 1), "{device}: the same elsewhere");
        weights[1] = 5.0;
        assert_eq!(run(&weights, 1.0), (6.0, 1, 1), "{device}: changed in its place");
        assert_eq!(run(&weights, 2.0), (12.0, 1, 1), "{device}: another scalar");
        assert_eq!(run(&weights, 2.0), (12.0, 0, 1), "{device}: nothing changed");
        assert_eq!(run(&array![5.0, 1.0], 2.0), (12.0, 1, 1), "{device}: the same in another order");
    }
}

#[test]
fn another_size_is_another_program() {
    for device in devices::all() {
        for weights in [array![1.0f32, 2.0], array![1.0, 2.0, 0.0], array![4.0], array![1.0, 2.0]] {
            let xs = array![1.0f32, 2.0];
            let total = weights.sum();
            let output: Array1<f32> = weighted(device, weights.view(), 1.0, xs.view()).expect("it runs");
            assert_eq!(output, xs * total, "{device}");
        }
    }
}

/// Threads with constants of their own and threads with the same, all of one compiled program.
#[test]
fn threads_with_different_constants_do_not_disturb_each_other() {
    let length = 5000;
    for built in compiled(in_two_steps::program(), &[length]) {
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let built = &built;
                scope.spawn(move || {
                    let xs = Array1::from_elem(length, thread as f32);
                    for round in 0..12 {
                        let own = (thread / 2 * (round / 4)) as f32;
                        let weights = Array1::from_shape_fn(length, |i| i as f32 + own);
                        let mut outputs = built.run(&[(&weights).into(), (&xs).into()]).expect("it runs");
                        let output: ArrayD<f32> = outputs.remove(0).into_array().expect("floats");
                        let expected = (&weights * 2.0 + 1.0 + &xs).into_dyn();
                        assert_eq!(output, expected, "thread {thread}, round {round} on {}", built.device());
                    }
                });
            }
        });
    }
}

/// Runs it twice, with the same constants: is what comes out right, and is as much allocated as the plan says?
fn check(trial: &Trial, sizes: &[usize], expected: &[ArrayD<f64>], what: &dyn Fn() -> String) {
    for built in compiled(trial.program, sizes) {
        let what = || format!("{} at {sizes:?} on {}", what(), built.device());
        for _ in 0..2 {
            let arguments: Vec<_> = trial.arguments.iter().map(values::argument).collect();
            let outputs = built.run(&arguments).unwrap_or_else(|e| panic!("{}: {e}", what()));
            let got: Vec<_> = outputs.into_iter().map(values::of).collect();
            compare::check(&got, expected).unwrap_or_else(|e| panic!("{}: {e}", what()));
        }
        let memory = built.memory();
        let planned = match built.device().kind() {
            // It works on the caller's arrays, and its own start at cache lines.
            Kind::BuiltIn => {
                memory.slots.iter().filter(|s| s.internal()).map(|s| s.bytes.next_multiple_of(64)).sum()
            }
            _ => memory.bytes(),
        };
        assert_eq!(built.allocated(), planned, "{}", what());
    }
}

#[test]
fn as_much_is_allocated_as_planned() {
    let random = &mut fastrand::Rng::with_seed(11);
    let mut trial = |program: &'static Program, sizes: &[usize]| {
        let trial =
            Trial::new(program, shapes::named(program, &mut sizes.iter().copied()), (-2.0, 2.0), random);
        let expected =
            trial.interpret().expect("the sizes fit").iter().map(values::to_f64).collect::<Vec<_>>();
        (trial, expected)
    };
    let by_hand: [(&'static Program, &[usize]); 7] = [
        (weighted::program(), &[5, 3]),
        (shifted::program(), &[5, 3]),
        (in_two_steps::program(), &[33]),
        (chain::program(), &[33]),
        (skip::program(), &[33]),
        (rounds::program(), &[33]),
        (constant_result::program(), &[33]),
    ];
    for (program, sizes) in by_hand {
        let (trial, expected) = trial(program, sizes);
        check(&trial, sizes, &expected, &|| program.name().to_string());
    }
    // Some of them, for the time that this takes.
    for (seed, (program, sizes)) in (1..).zip(NESTS).step_by(4) {
        let (trial, expected) = trial(program(), sizes);
        for schedule in SCHEDULES {
            let effort = Effort { seed, selections: 2, points: 2 };
            for Form { candidate, points } in forms(schedule, program(), sizes, effort) {
                let Some(point) = points.first() else { continue };
                let form = placed(&candidate, point);
                let (sizes, arguments) = (trial.sizes.clone(), trial.arguments.clone());
                let derived = Trial { program: &form, sizes, arguments };
                let what = || format!("{} by {} {:?}", program().name(), schedule.name, candidate.options);
                check(&derived, point, &expected, &what);
            }
        }
    }
}

/// A thread of rayon's that waits for others takes up other work: here another run of the same program, which must
/// not wait for what that thread itself has begun.
#[test]
fn threads_of_a_pool_share_one_program() {
    use rayon::prelude::*;
    const N: usize = 1 << 17;
    for device in devices::all() {
        let (send, receive) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let compiled = in_two_steps::compile(device, in_two_steps::Sizes { N }).expect("it is built");
            let xs: Array1<f32> = (0..N).map(|i| (i % 13) as f32).collect();
            let run = |k: usize| {
                let weights = Array1::from_elem(N, k as f32);
                let sum = compiled.run(weights.view(), xs.view()).expect("it runs");
                sum == xs.mapv(|x| x + 2.0 * k as f32 + 1.0)
            };
            let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().expect("threads");
            send.send(pool.install(|| (0..64).into_par_iter().all(run)))
        });
        let right = receive.recv_timeout(std::time::Duration::from_secs(300));
        assert_eq!(right, Ok(true), "{device}");
    }
}
