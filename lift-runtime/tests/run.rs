//! Plans made by hand run on every device, with every type and layout.

mod common;
mod names;

use common::{devices, devices_with, filled, load, pairwise, two_kernels};
use half::f16;
use lift_core::kernel::Stmt;
use lift_core::scalar::Op;
use lift_core::types::Scalar;
use lift_runtime::{Argument, Compiled, Device, Element, Error, Kind, Settings};
use ndarray::{Array1, Array2, ArrayD, ArrayView1, Axis, s};
use std::fmt::Debug;
use std::time::Duration;

fn argument<'a, T: Element>(view: ArrayView1<'a, T>) -> Argument<'a> {
    T::argument(view.into_dyn())
}

fn only<T: Element>(compiled: &Compiled, arguments: &[Argument<'_>]) -> ArrayD<T> {
    let mut outputs = compiled.run(arguments).unwrap();
    assert_eq!(outputs.len(), 1);
    outputs.remove(0).into_array().unwrap()
}

/// `a op b` on every device that has the type.
fn pairs<T: Element + Debug + PartialEq, U: Element + Debug + PartialEq>(
    o: Op,
    a: &[T],
    b: &[T],
    expected: &[U],
) {
    let (plan, signature) = pairwise(o, T::SCALAR, a.len());
    for device in devices() {
        let compiled = match load(&device, &plan, &signature) {
            Err(Error::Unsupported { what, .. }) if T::SCALAR == Scalar::F16 => {
                assert!(device.kind() != Kind::BuiltIn && what.contains("f16"), "{device}: {what}");
                continue;
            }
            other => other.unwrap(),
        };
        let result: ArrayD<U> = only(&compiled, &[argument(a.into()), argument(b.into())]);
        assert_eq!(result, Array1::from(expected.to_vec()).into_dyn(), "{o:?} of {} on {device}", T::SCALAR);
    }
}

#[test]
fn every_scalar_type_goes_in_and_comes_out() {
    pairs(Op::Add, &[1.5f32, -2.0, f32::INFINITY], &[1.0, 2.0, 3.0], &[2.5f32, 0.0, f32::INFINITY]);
    pairs(Op::Mul, &[1.5f64, -2.0, 1e300], &[1.0, 2.0, 1e300], &[1.5f64, -4.0, f64::INFINITY]);
    let half = |x: [f32; 3]| x.map(f16::from_f32);
    pairs(Op::Add, &half([1.5, -2.0, 0.25]), &half([1.0, 2.0, 0.5]), &half([2.5, 0.0, 0.75]));
    pairs(Op::Add, &[250u8, 1, 0], &[10, 2, 0], &[4u8, 3, 0]);
    pairs(Op::Add, &[i8::MAX, 1, -1], &[1, 2, 0], &[i8::MIN, 3, -1]);
    pairs(Op::Sub, &[0u16, 5, 9], &[1, 2, 3], &[u16::MAX, 3, 6]);
    pairs(Op::Mul, &[i16::MAX, 5, -9], &[2, 2, 3], &[-2i16, 10, -27]);
    pairs(Op::Add, &[i32::MAX, 5, -9], &[1, 2, 3], &[i32::MIN, 7, -6]);
    pairs(Op::Sub, &[0u32, 5, 9], &[1, 2, 3], &[u32::MAX, 3, 6]);
    pairs(Op::Add, &[i64::MAX, 5, -9], &[1, 2, 3], &[i64::MIN, 7, -6]);
    pairs(Op::Mul, &[1u64 << 63, 5, 9], &[2, 2, 3], &[0u64, 10, 27]);
    pairs(Op::BitXor, &[true, true, false], &[true, false, false], &[false, true, false]);
    pairs(Op::Lt, &[1.0f32, f32::NAN, 3.0], &[2.0, 1.0, 3.0], &[true, false, false]);
}

#[test]
fn nan_keeps_its_meaning_under_the_relaxed_flags() {
    pairs(Op::Ne, &[f32::NAN, 1.0], &[f32::NAN, 1.0], &[true, false]);
    pairs(Op::Max, &[f32::NAN, 1.0], &[2.0, f32::NAN], &[2.0f32, 1.0]);
}

#[test]
fn a_temporary_carries_from_kernel_to_kernel() {
    for length in [1, 2, 31, 1000, 100_003] {
        let (plan, signature) = two_kernels(length);
        let a = Array1::from_shape_fn(length, |i| i as f32);
        for device in devices() {
            let compiled = load(&device, &plan, &signature).unwrap();
            // Twice: what is kept for the next run must not change it.
            for factor in [2.0f32, -0.5] {
                let result: ArrayD<f32> = only(&compiled, &[factor.scalar(), argument(a.view())]);
                assert_eq!(result, a.mapv(|x| x * factor + x).into_dyn(), "{length} on {device}");
            }
            assert_eq!(compiled.bytes(), 3 * 4 * length);
        }
    }
}

#[test]
fn any_layout_is_accepted() {
    let wide = Array2::from_shape_fn((9, 7), |(y, x)| (10 * y + x) as f32);
    let other = Array1::from_shape_fn(9, |i| i as f32);
    let mut backwards = wide.column(3);
    backwards.invert_axis(Axis(0));
    let one = Array1::from_elem(1, 5.0f32);
    let repeated = one.broadcast(9).unwrap();
    let (plan, signature) = pairwise(Op::Add, Scalar::F32, 9);
    for device in devices() {
        let compiled = load(&device, &plan, &signature).unwrap();
        for view in [wide.column(3), backwards, wide.slice(s![.., 6]), repeated] {
            let result: ArrayD<f32> = only(&compiled, &[argument(view), argument(other.view())]);
            assert_eq!(result, (&view + &other).into_dyn(), "{device}");
        }
    }
}

#[test]
fn an_empty_array_is_no_trouble() {
    let (plan, signature) = pairwise(Op::Add, Scalar::F32, 0);
    let none = Array1::<f32>::zeros(0);
    for device in devices() {
        let compiled = load(&device, &plan, &signature).unwrap();
        let result: ArrayD<f32> = only(&compiled, &[argument(none.view()), argument(none.view())]);
        assert_eq!(result.len(), 0);
    }
}

/// Where nothing is launched, nothing is built: neither the text of no kernel, which OpenCL's wrapper would
/// pass as a text that ends anywhere, nor one that no compiler would take.
#[test]
fn without_a_launch_nothing_is_built() {
    let (mut without, signature) = pairwise(Op::Add, Scalar::F32, 0);
    without.modules[0].kernels.clear();
    without.launches.clear();
    let (mut unused, _) = pairwise(Op::Add, Scalar::F32, 0);
    unused.modules[0].kernels[0].body.insert(0, Stmt::Comment("\n#error nobody compiles this".into()));
    let none = Array1::<f32>::zeros(0);
    let arguments = [argument(none.view()), argument(none.view())];
    for plan in [without, unused] {
        for binaries in [false, true] {
            let settings = Settings { cache: None, binaries: Some(binaries), ..Settings::default() };
            for device in devices_with(&settings) {
                let compiled = load(&device, &plan, &signature).unwrap();
                assert_eq!(only::<f32>(&compiled, &arguments).len(), 0, "{device}");
                assert_eq!(compiled.run_spoiled(&arguments).unwrap().0.len(), 1);
                let (_, times) = compiled.run_timed(&arguments).unwrap();
                assert_eq!(times.total(), Duration::ZERO, "{device}");
                assert_eq!(compiled.allocated(), 0, "{device}");
            }
        }
    }
}

#[test]
fn one_compiled_program_runs_on_many_threads() {
    let length = 50_000;
    let (plan, signature) = two_kernels(length);
    for device in devices() {
        let compiled = load(&device, &plan, &signature).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let compiled = &compiled;
                scope.spawn(move || {
                    let a = Array1::from_shape_fn(length, |i| (i * (thread + 1)) as f32);
                    for _ in 0..20 {
                        let result: ArrayD<f32> = only(compiled, &[1.0f32.scalar(), argument(a.view())]);
                        assert_eq!(result, (&a * 2.0).into_dyn());
                    }
                });
            }
        });
    }
}

#[test]
fn times_name_every_launch() {
    let (plan, signature) = two_kernels(200_000);
    let a = Array1::<f32>::zeros(200_000);
    for device in devices() {
        let compiled = load(&device, &plan, &signature).unwrap();
        let (_, times) = compiled.run_timed(&[1.0f32.scalar(), argument(a.view())]).unwrap();
        let names: Vec<&str> = times.kernels.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["scale", "add"]);
        assert!(times.kernels.iter().all(|(_, time)| !time.is_zero()), "{device}: {times:?}");
        assert_eq!(times.total(), times.kernels[0].1 + times.kernels[1].1);
    }
}

#[test]
fn the_sources_can_be_read_whatever_the_device() {
    let (plan, signature) = two_kernels(8);
    let compiled = load(&Device::cpu(), &plan, &signature).unwrap();
    assert!(compiled.opencl().contains("kernel void scale_("), "{}", compiled.opencl());
    assert!(compiled.c().contains("void scale_("), "{}", compiled.c());
    assert_eq!(compiled.sizes().to_string(), "N = 8");
}

#[test]
fn a_result_has_one_type_and_shape() {
    let (plan, signature) = pairwise(Op::Add, Scalar::I32, 2);
    let compiled = load(&Device::cpu(), &plan, &signature).unwrap();
    let ones = Array1::from_elem(2, 1i32);
    let run = || compiled.run(&[argument(ones.view()), argument(ones.view())]).unwrap().remove(0);
    assert_eq!(run().into_array::<f32>().unwrap_err().to_string(), "a result of i32 can't be read as f32");
    assert_eq!(
        run().into_scalar::<i32>().unwrap_err().to_string(),
        "a result of shape [2] can't be read as one number"
    );
}

/// 64-bit indices, where a device has the memory: a result of 2 GiB.
#[test]
fn more_elements_than_32_bits_count_are_handled_or_refused() {
    let length = (1usize << 31) + 64;
    let (plan, signature) = filled(length);
    assert!(plan.c().contains("long i_ = "), "{}", plan.c());
    for device in devices() {
        let compiled = match load(&device, &plan, &signature) {
            Err(Error::OutOfMemory { .. }) => continue,
            other => other.unwrap(),
        };
        match compiled.run(&[42u8.scalar()]) {
            Err(Error::OutOfMemory { .. }) => {}
            other => {
                let result: ArrayD<u8> = other.unwrap().remove(0).into_array().unwrap();
                assert_eq!(result.len(), length);
                let at = |i: usize| result.as_slice().unwrap()[i];
                assert_eq!([0, 1 << 30, length - 4, length - 1].map(at), [42; 4], "{device}");
            }
        }
        // The device works on.
        let (plan, signature) = filled(3);
        let compiled = load(&device, &plan, &signature).unwrap();
        assert_eq!(only::<u8>(&compiled, &[7u8.scalar()]), Array1::from_elem(3, 7u8).into_dyn());
    }
}
