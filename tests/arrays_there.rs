//! Arrays that stay on the device: they go there and come back as they were, runs read and write them where they are, and nobody's
//! values change.

mod common;

use common::devices;
use lift::graph::Graph;
use lift::prelude::*;
use lift::{Argument, Compiled, Destination, DeviceArray, DeviceOutput, Element, Error, Kind, Settings};
use lift_core::types::Scalar;
use ndarray::{ArrayD, IxDyn, s};
use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

lift! {
    pub fn doubled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 2.0 * x, xs)
    }
    pub fn sums<N, M>(xs: [[f32; N]; M], by: f32) -> [f32; M] {
        map(|row| by * reduce(0.0, |sum, x| sum + x, row), xs)
    }
    pub fn axpy<N>(a: f32, xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| a * x + y, zip(xs, ys))
    }
    /// Every element of the result depends on another one of the argument.
    pub fn turned<N>(xs: [f32; N]) -> [f32; N] {
        reverse(map(|x| x + 1.0, xs))
    }
    /// The sum of the weights depends on them alone.
    pub fn weighted<N, M>(const weights: [f32; M], xs: [f32; N]) -> [f32; N] {
        let total = reduce(0.0, |sum, w| sum + w, weights);
        map(|x| x * total, xs)
    }
    pub fn several<N>(xs: [f32; N]) -> ([f32; N], [bool; N], f32) {
        (map(|x| x * x, xs), map(|x| x > 0.0, xs), xs[0] + 1.0)
    }
    pub fn chosen<N>(signs: [bool; N], xs: [f32; N]) -> [f32; N] {
        map(|(sign, x)| if sign { x } else { 0.0 }, zip(signs, xs))
    }
}

fn ramp(n: usize) -> Array1<f32> {
    Array1::from_shape_fn(n, |i| i as f32 - 2.0)
}

/// Every device, opened for one test alone: copies are counted for each.
fn opened() -> Vec<Device> {
    let cache = Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernels"));
    let mut devices = Device::all_with(&Settings { cache, ..Settings::default() });
    devices.retain(|device| !devices::is_simulator(device));
    devices
}

/// What a run copies between the host and the device where all of its arrays are on the host; the built-in device reads and writes
/// them where they are.
fn copied(device: &Device, arrays: usize) -> usize {
    if device.kind() == Kind::BuiltIn { 0 } else { arrays }
}

fn round_trip<T: Element + PartialEq + Debug>(array: ArrayD<T>) {
    for device in devices::all() {
        let there = device.upload(&array).unwrap();
        assert_eq!(there.shape(), array.shape());
        assert_eq!(there.download().unwrap(), array, "{device}");
        let untyped = device.upload_any(&(&array).into()).unwrap();
        assert_eq!((untyped.scalar(), untyped.shape()), (T::SCALAR, array.shape()));
        assert_eq!(untyped.download().unwrap().into_array::<T>().unwrap(), array, "{device}");
    }
}

#[test]
fn every_type_goes_there_and_comes_back() {
    fn of<T: Element + PartialEq + Debug>(elements: &[T]) {
        round_trip(Array1::from(elements.to_vec()).into_dyn());
        round_trip(Array::from_shape_vec((1, elements.len(), 1), elements.to_vec()).unwrap().into_dyn());
        round_trip(ndarray::arr0(elements[0]).into_dyn());
        round_trip(Array1::from(elements[..0].to_vec()).into_dyn());
        round_trip(Array::from_shape_vec((3, 0, 2), elements[..0].to_vec()).unwrap().into_dyn());
    }
    of(&[true, false, true]);
    of(&[i8::MIN, -1, i8::MAX]);
    of(&[0u8, 1, u8::MAX]);
    of(&[i16::MIN, -1, i16::MAX]);
    of(&[0u16, 1, u16::MAX]);
    of(&[i32::MIN, -1, i32::MAX]);
    of(&[0u32, 1, u32::MAX]);
    of(&[i64::MIN, -1, i64::MAX]);
    of(&[0u64, 1, u64::MAX]);
    of(&[f16::from_f32(-1.5), f16::MAX, f16::MIN_POSITIVE]);
    of(&[-1.5f32, f32::INFINITY, f32::MIN_POSITIVE]);
    of(&[-1.5f64, f64::INFINITY, f64::MIN_POSITIVE]);
}

#[test]
fn any_layout_is_uploaded_and_downloaded() {
    let wide = Array2::from_shape_fn((9, 7), |(y, x)| (10 * y + x) as f32);
    let one = Array1::from_elem(1, 5.0f32);
    for device in devices::all() {
        let turned = wide.slice(s![..;-2, 1..4]).reversed_axes();
        let there = device.upload(&turned).unwrap();
        assert_eq!(there.download().unwrap(), turned, "{device}");
        assert_eq!(
            device.upload(&one.broadcast(9).unwrap()).unwrap().download().unwrap(),
            Array1::from_elem(9, 5.0)
        );
        // Into every other column, turned round.
        there.download_into(&mut Array2::zeros((5, 3))).unwrap_err();
        let mut host = Array2::zeros((10, 6));
        there.download_into(&mut host.slice_mut(s![..;2, ..;2]).reversed_axes()).unwrap();
        assert_eq!(host.slice(s![..;2, ..;2]).reversed_axes(), turned, "{device}");
        assert_eq!(host.sum(), turned.sum(), "{device}: something beside it was written");
    }
}

#[test]
fn a_chain_is_what_it_is_on_the_host_and_nothing_is_copied() {
    for device in &opened() {
        let xs = Array2::from_shape_fn((4, 6), |(m, n)| (m * n) as f32 - 3.0);
        let first = sums::compile(device, sums::Sizes { N: 6, M: 4 }).unwrap();
        let second = turned::compile(device, turned::Sizes { N: 4 }).unwrap();
        let before = device.copies();
        let expected = second.run(first.run(xs.view(), 0.5).unwrap().view()).unwrap();
        assert_eq!(device.copies() - before, copied(device, 4), "{device}: the host's way");
        let there = device.upload(&xs).unwrap();
        let before = device.copies();
        let mut ys: DeviceArray<f32, Ix1> = second.run_there(first.run_there(&there, 0.5).unwrap()).unwrap();
        for _ in 0..20 {
            ys = second.run_there(first.run_there(&there, 0.5).unwrap()).unwrap();
        }
        ys.wait().unwrap();
        assert_eq!(device.copies(), before, "{device}: a run copied arrays");
        assert_eq!(ys.download().unwrap(), expected, "{device}");
        assert_eq!(device.copies() - before, 1, "{device}");
    }
}

#[test]
fn arrays_of_the_host_and_of_the_device_are_mixed() {
    for device in devices::all() {
        let program = axpy::compile(device, axpy::Sizes { N: 5 }).unwrap();
        let (xs, ys) = (ramp(5), ramp(5) * 10.0);
        let (x, y) = (device.upload(&xs).unwrap(), device.upload(&ys).unwrap());
        let expected = &xs * 3.0 + &ys;
        let got = |z: Result<DeviceArray<f32, Ix1>, Error>| z.unwrap().download().unwrap();
        assert_eq!(got(program.run_there(3.0, &x, &y)), expected, "{device}");
        assert_eq!(got(program.run_there(3.0, &x, ys.view())), expected, "{device}");
        assert_eq!(got(program.run_there(3.0, &xs, y.clone())), expected, "{device}");
        assert_eq!(got(program.run_there(3.0, xs.view(), &ys)), expected, "{device}");
        // Twice the same array: it is only read.
        assert_eq!(got(program.run_there(1.0, &x, &x)), &xs * 2.0, "{device}");
        let untyped: &Compiled = &program;
        for (a, b) in [(Argument::from(&x), Argument::from(&ys)), ((&xs).into(), y.as_any().into())] {
            let arguments = [3.0f32.into(), a, b];
            let outputs = untyped.run(&arguments).unwrap();
            assert_eq!(
                outputs.into_iter().next().unwrap().into_array::<f32>().unwrap(),
                expected.clone().into_dyn()
            );
            let (outputs, times) = untyped.run_timed(&arguments).unwrap();
            assert_eq!(times.kernels.len(), untyped.plan().launches.len(), "{device}");
            assert_eq!(
                outputs.into_iter().next().unwrap().into_array::<f32>().unwrap(),
                expected.clone().into_dyn()
            );
            let (outputs, _) = untyped.run_spoiled(&arguments).unwrap();
            assert_eq!(
                outputs.into_iter().next().unwrap().into_array::<f32>().unwrap(),
                expected.clone().into_dyn()
            );
            let interpreted = lift::interpret(axpy::program(), &[], &arguments).unwrap().remove(0);
            assert_eq!(interpreted.into_array::<f32>().unwrap(), expected.clone().into_dyn());
            let called = lift::run(axpy::program(), device, &[], &arguments).unwrap().remove(0);
            assert_eq!(called.into_array::<f32>().unwrap(), expected.clone().into_dyn());
        }
    }
}

#[test]
fn the_host_may_change_its_array_as_soon_as_a_run_returns() {
    for device in devices::all() {
        let program = doubled::compile(device, doubled::Sizes { N: 300_000 }).unwrap();
        let mut xs = Array1::from_elem(300_000, 1.0f32);
        let results: Vec<DeviceArray<f32, Ix1>> = (0..5)
            .map(|round| {
                xs.fill(round as f32);
                let result = program.run_there(&xs).unwrap();
                xs.fill(-1.0);
                result
            })
            .collect();
        for (round, result) in results.into_iter().enumerate() {
            assert_eq!(
                result.download().unwrap(),
                Array1::from_elem(300_000, 2.0 * round as f32),
                "{device}"
            );
        }
    }
}

#[test]
fn many_results_of_all_types_stay_there() {
    for device in &opened() {
        let program = several::compile(device, several::Sizes { N: 3 }).unwrap();
        let xs = array![-1.0f32, 0.0, 2.0];
        let (squares, signs, number) = program.run_there(&xs).unwrap();
        assert_eq!(squares.download().unwrap(), array![1.0, 0.0, 4.0], "{device}");
        assert_eq!(signs.download().unwrap(), array![false, false, true], "{device}");
        assert_eq!(number.download().unwrap().into_scalar(), 0.0, "{device}");
        let chosen = chosen::compile(device, chosen::Sizes { N: 3 }).unwrap();
        assert_eq!(
            chosen.run_there(&signs, &xs).unwrap().download().unwrap(),
            array![0.0, 0.0, 2.0],
            "{device}"
        );
        // A number that is on the device is read for a run.
        let axpy = axpy::compile(device, axpy::Sizes { N: 3 }).unwrap();
        let five = device.upload(&ndarray::arr0(5.0f32)).unwrap();
        let before = device.copies();
        let untyped: &Compiled = &axpy;
        let outputs = untyped.run_there(&[(&five).into(), (&squares).into(), (&squares).into()]).unwrap();
        assert_eq!(device.copies() - before, 1, "{device}");
        let host: Array1<f32> = outputs[0].clone().into_array().unwrap().download().unwrap();
        assert_eq!(host, array![6.0, 0.0, 24.0], "{device}");
    }
}

/// What came out first, and how many kernels prepared something.
fn prepared<'a>(layer: &Compiled, weights: Argument<'a>, xs: &'a Array1<f32>) -> (f32, usize) {
    let (mut outputs, times) = layer.run_timed(&[weights, xs.into()]).unwrap();
    (outputs.remove(0).into_array::<f32>().unwrap()[[0]], times.prepare.len())
}

#[test]
fn constants_on_the_device_are_prepared_once_and_again_when_they_were_written_over() {
    for device in &opened() {
        let layer = weighted::compile(device, weighted::Sizes { N: 3, M: 2 }).unwrap();
        let xs = array![1.0f32, 10.0, 100.0];
        let weights = array![1.0f32, 2.0];
        let mut there = device.upload(&weights).unwrap();
        let before = device.copies();
        assert_eq!(prepared(&layer, (&there).into(), &xs), (3.0, 1), "{device}: the first time");
        assert_eq!(device.copies() - before, copied(device, 4), "{device}: xs and the result, twice");
        assert_eq!(prepared(&layer, (&there).into(), &xs), (3.0, 0), "{device}: nothing changed");
        assert_eq!(prepared(&layer, (&there.clone()).into(), &xs), (3.0, 0), "{device}: the same array");
        let other = device.upload(&weights).unwrap();
        assert_eq!(prepared(&layer, (&other).into(), &xs), (3.0, 1), "{device}: another one");
        assert_eq!(prepared(&layer, (&there).into(), &xs), (3.0, 1), "{device}: and back");
        let double = doubled::compile(device, doubled::Sizes { N: 2 }).unwrap();
        double.run_there_into(&weights, &mut there).unwrap();
        assert_eq!(prepared(&layer, (&there).into(), &xs), (6.0, 1), "{device}: written over");
        assert_eq!(prepared(&layer, (&there).into(), &xs), (6.0, 0), "{device}: nothing changed");
        assert_eq!(prepared(&layer, (&weights).into(), &xs), (3.0, 1), "{device}: the host's");
        assert_eq!(prepared(&layer, (&weights).into(), &xs), (3.0, 0), "{device}: nothing changed");
        // Its memory goes to another array, which is no more the same.
        drop((there, other));
        let next = device.upload(&array![3.0f32, 4.0]).unwrap();
        assert_eq!(prepared(&layer, (&next).into(), &xs), (7.0, 1), "{device}: in the same memory");
        let results = layer.run_there(&next, &xs).unwrap();
        assert_eq!(results.download().unwrap()[0], 7.0, "{device}");
    }
}

#[test]
fn results_are_written_over_an_earlier_array() {
    for device in &opened() {
        let program = axpy::compile(device, axpy::Sizes { N: 4 }).unwrap();
        let xs = device.upload(&ramp(4)).unwrap();
        let mut place = program.run_there(1.0, &xs, &xs).unwrap();
        let before = device.copies();
        let times = program.run_there_into(2.0, &xs, &xs, &mut place).unwrap();
        assert_eq!(times.kernels.len(), program.plan().launches.len(), "{device}");
        assert_eq!(device.copies(), before, "{device}: something was copied");
        assert_eq!(place.download().unwrap(), ramp(4) * 3.0, "{device}");
        // Without types, and in a row.
        let untyped: &Compiled = &program;
        let mut outputs = untyped.run_there(&[0.0f32.into(), (&xs).into(), (&xs).into()]).unwrap();
        let runs = NonZeroUsize::new(7).unwrap();
        untyped.run_repeatedly(runs, &[4.0f32.into(), (&xs).into(), (&xs).into()], &mut outputs).unwrap();
        let host = outputs.remove(0).download().unwrap().into_array::<f32>().unwrap();
        assert_eq!(host, (ramp(4) * 5.0).into_dyn(), "{device}");
        // What is on the device, and what is on the host, of one run.
        let program = several::compile(device, several::Sizes { N: 4 }).unwrap();
        let (mut squares, _, mut number) = program.run_there(&xs).unwrap();
        let mut signs = Array1::from_elem(4, true);
        let to = [Destination::from(&mut squares), (&mut signs).into(), (&mut number).into()];
        Compiled::run_into(&program, &[(&ramp(4)).into()], to).unwrap();
        assert_eq!((signs[0], number.download().unwrap().into_scalar()), (false, -1.0), "{device}");
        assert_eq!(squares.download().unwrap(), ramp(4).mapv(|x| x * x), "{device}");
    }
}

#[test]
fn a_clone_keeps_its_value_when_the_array_is_written_over() {
    for device in devices::all() {
        let program = doubled::compile(device, doubled::Sizes { N: 4 }).unwrap();
        let mut array = device.upload(&ramp(4)).unwrap();
        let clone = array.clone();
        program.run_there_into(&(ramp(4) + 1.0), &mut array).unwrap();
        assert_eq!(clone.download().unwrap(), ramp(4), "{device}");
        assert_eq!(array.download().unwrap(), (ramp(4) + 1.0) * 2.0, "{device}");
        // Two places that are one array.
        let both = axpy::compile(device, axpy::Sizes { N: 4 }).unwrap();
        let (mut one, other) = (clone.clone(), clone);
        both.run_there_into(1.0, &other, &array, &mut one).unwrap();
        assert_eq!(other.download().unwrap(), ramp(4), "{device}");
        assert_eq!(one.download().unwrap(), ramp(4) + (ramp(4) + 1.0) * 2.0, "{device}");
    }
}

#[test]
fn an_argument_may_be_the_destination() {
    for device in devices::all() {
        let n = 10_000;
        let program = turned::compile(device, turned::Sizes { N: n }).unwrap();
        let mut array = device.upload(&ramp(n)).unwrap();
        // Written in place, elements would be read that are results already.
        program.run_there_into(array.clone(), &mut array).unwrap();
        let mut expected = ramp(n) + 1.0;
        expected.invert_axis(ndarray::Axis(0));
        assert_eq!(array.download().unwrap(), expected, "{device}");
    }
}

#[test]
fn arrays_of_another_device_are_refused_by_name() {
    for (here, other) in opened().into_iter().zip(opened()) {
        let program = axpy::compile(&here, axpy::Sizes { N: 4 }).unwrap();
        let (x, mut y) = (here.upload(&ramp(4)).unwrap(), other.upload(&ramp(4)).unwrap());
        let message = program.run_there(1.0, &x, &y).unwrap_err();
        let Error::OtherDevice { what, expected, got } = &message else { panic!("{message}") };
        assert_eq!((what.as_str(), expected, got), ("argument `ys`", &here.to_string(), &other.to_string()));
        let ends = ", opened another time: these share no arrays";
        assert_eq!(
            message.to_string(),
            format!("argument `ys` is on {other}, and the program was built for {here}{ends}")
        );
        let message = program.run_there_into(1.0, &x, &x, &mut y).unwrap_err().to_string();
        assert!(message.starts_with("the array for result 0 of `axpy` is on "), "{message}");
        assert_eq!(y.download().unwrap(), ramp(4));
        // A number, too.
        let five = other.upload(&ndarray::arr0(5.0f32)).unwrap();
        let untyped: &Compiled = &program;
        let message = untyped.run(&[(&five).into(), (&x).into(), (&x).into()]).unwrap_err().to_string();
        assert!(message.starts_with("argument `a` is on "), "{message}");
        assert!(matches!(here.upload_any(&(&y).into()), Err(Error::OtherDevice { .. })));
        assert_eq!(here.upload_any(&(&x).into()).unwrap().shape(), [4]);
    }
    let all = devices::all();
    for (here, other) in all.iter().zip(&all[1..]) {
        let there = other.upload(&ramp(4)).unwrap();
        let message = doubled::compile(here, doubled::Sizes { N: 4 }).unwrap().run_there(&there).unwrap_err();
        assert_eq!(
            message.to_string(),
            format!("argument `xs` is on {other}, and the program was built for {here}")
        );
    }
}

#[test]
fn arrays_that_do_not_fit_are_refused_as_those_of_the_host() {
    for device in devices::all() {
        let program = doubled::compile(device, doubled::Sizes { N: 4 }).unwrap();
        let untyped: &Compiled = &program;
        let (five, square) = (ramp(5), Array2::<f32>::zeros((4, 4)));
        let whole = Array1::<i32>::zeros(4);
        let refusal = |argument: Argument<'_>| untyped.run_there(&[argument]).unwrap_err().to_string();
        let there = |array: Argument<'_>| device.upload_any(&array).unwrap();
        for array in [Argument::from(&five), (&square).into(), (&whole).into()] {
            assert_eq!(refusal((&there(array.clone())).into()), refusal(array), "{device}");
        }
        assert_eq!(program.run_there(&five).unwrap_err().to_string(), refusal((&five).into()));
        let mut place: DeviceOutput = there((&whole).into());
        let message = untyped.run_into(&[(&ramp(4)).into()], [&mut place]).unwrap_err().to_string();
        assert_eq!(message, "result 0 of `doubled` is [f32; 4], and can't be written into [i32; 4]");
        let message = place.clone().into_array::<f32, Ix1>().unwrap_err().to_string();
        assert_eq!(message, "a result of [i32; 4] can't be read as f32 in 1 dimensions");
        assert!(
            place.clone().into_array::<i32, Ix2>().is_err()
                && place.clone().into_array::<i32, IxDyn>().is_ok()
        );
        let mut long = Array1::<i32>::zeros(5);
        let message = place.download_into(&mut long).unwrap_err().to_string();
        assert_eq!(message, "a result of [i32; 4] can't be read as [i32; 5]");
        let mut other = place.clone();
        let message = place.download_into(&mut other).unwrap_err().to_string();
        assert_eq!(message, format!("a result of [i32; 4] can't be read as an array on {device}"));
    }
}

#[test]
fn what_no_device_has_room_for_is_an_error() {
    let one = Array1::from_elem(1, 1.0f64);
    for device in devices::all() {
        for n in [1usize << 44, 1 << 58] {
            let Err(Error::OutOfMemory { .. }) = device.upload(&one.broadcast(n).unwrap()) else {
                panic!("{device}: there is no room for {n}")
            };
        }
        // It goes on.
        assert_eq!(device.upload(&ramp(3)).unwrap().download().unwrap(), ramp(3));
    }
}

#[test]
fn nothing_goes_there_too() {
    for device in devices::all() {
        let program = lift!(|xs: [f32; N]| take(0, xs)).program().clone();
        let program = lift::compile(&program, device, &[4]).unwrap();
        let there = device.upload(&ramp(4)).unwrap();
        let mut none = program.run_there(&[(&there).into()]).unwrap();
        assert_eq!(none[0].shape(), [0]);
        program.run_into(&[(&there).into()], &mut none).unwrap();
        assert_eq!(none[0].download().unwrap().into_array::<f32>().unwrap().len(), 0);
        let doubled = lift::compile(doubled::program(), device, &[1]).unwrap();
        assert!(doubled.run_there(&[(&none[0]).into()]).is_err());
    }
}

#[test]
fn an_array_outlives_all_else() {
    for device in opened() {
        let array = {
            let program = doubled::compile(&device, doubled::Sizes { N: 4 }).unwrap();
            program.run_there(ramp(4)).unwrap()
        };
        drop(device);
        assert_eq!(array.clone().download().unwrap(), ramp(4) * 2.0);
    }
}

#[test]
fn threads_share_arrays_and_programs() {
    for device in devices::all() {
        let n = 20_000;
        let program = axpy::compile(device, axpy::Sizes { N: n }).unwrap();
        let shared = device.upload(&ramp(n)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (program, shared) = (&program, &shared);
                scope.spawn(move || {
                    let mut array = shared.clone();
                    let mut factor = 1.0;
                    for round in 0..20 {
                        let a = (thread + 1) as f32;
                        // In turn with times, which go through another queue, and without.
                        if round % 3 == 2 {
                            program.run_there_into(a, shared, array.clone(), &mut array).unwrap();
                        } else {
                            array = program.run_there(a, shared, &array).unwrap();
                        }
                        factor += a;
                    }
                    assert_eq!(array.download().unwrap(), ramp(n) * factor, "{device}");
                });
            }
        });
        assert_eq!(shared.download().unwrap(), ramp(n), "{device}");
    }
}

#[test]
fn networks_follow_each_other_there() {
    let mut graph = Graph::new("two_layers");
    let mut x = graph.input("x", Scalar::F32, &["N".into()]).unwrap();
    for layer in ["first", "second"] {
        let weights = graph.constant(&format!("{layer}.weights"), array![1.0f32, 2.0]).unwrap();
        x = graph.apply(layer, weighted::program(), &[], &[weights, x]).unwrap()[0];
    }
    graph.output("y", x).unwrap();
    for device in &opened() {
        let network = graph.compile_as_written(device, &[("N", 6)]).unwrap();
        let expected = ramp(6) * 81.0;
        let there = device.upload(&ramp(6)).unwrap();
        network.run(&[(&ramp(6)).into()]).unwrap();
        let before = device.copies();
        let once = network.run_there(&[(&there).into()]).unwrap();
        let mut twice = network.run_there(&[(&once[0]).into()]).unwrap();
        assert_eq!(device.copies(), before, "{device}: a run copied arrays");
        let host: ArrayD<f32> = twice[0].download().unwrap().into_array().unwrap();
        assert_eq!(host, expected.into_dyn(), "{device}");
        // And over an earlier one, which is the network's own input here.
        let input = twice[0].clone();
        network.run_into(&[(&input).into()], &mut twice).unwrap();
        let host: ArrayD<f32> = twice[0].download().unwrap().into_array().unwrap();
        assert_eq!(host, (ramp(6) * 729.0).into_dyn(), "{device}");
    }
}

#[test]
fn one_program_serves_the_host_and_the_device_in_turn() {
    for device in devices::all() {
        let program: Arc<Compiled> = lift::compile(axpy::program(), device, &[8]).unwrap();
        let (x, y) = (device.upload(&ramp(8)).unwrap(), device.upload(&(ramp(8) * 2.0)).unwrap());
        let mut place = device.upload(&ramp(8)).unwrap();
        let host = ramp(8) * 3.0;
        for a in [1.0f32, 1.0, 2.0, 3.0] {
            let both = [Argument::from(&x), Argument::from(&host)];
            let there = program.run_there(&[a.into(), both[0].clone(), (&y).into()]).unwrap();
            assert_eq!(
                there[0].download().unwrap().into_array::<f32>().unwrap(),
                (ramp(8) * (a + 2.0)).into_dyn()
            );
            let here = program.run(&[a.into(), both[1].clone(), (&y).into()]).unwrap().remove(0);
            assert_eq!(here.into_array::<f32>().unwrap(), (ramp(8) * (3.0 * a + 2.0)).into_dyn(), "{device}");
            let here = program.run(&[a.into(), both[1].clone(), both[1].clone()]).unwrap().remove(0);
            assert_eq!(here.into_array::<f32>().unwrap(), (ramp(8) * (3.0 * a + 3.0)).into_dyn(), "{device}");
            program.run_into(&[a.into(), both[1].clone(), both[0].clone()], [&mut place]).unwrap();
            assert_eq!(place.download().unwrap(), ramp(8) * (3.0 * a + 1.0), "{device}");
        }
    }
}
