//! Results that are written into arrays that the caller has.

mod common;

use common::devices;
use lift::prelude::*;
use lift::{Destination, Error};
use ndarray::{ArrayD, s};
use std::num::NonZeroUsize;
use std::time::Duration;

lift! {
    /// Of each kind one: numbers, their signs, and a number.
    pub fn several<N, M>(xs: [[f32; N]; M], by: f32) -> ([[f32; N]; M], [bool; M], f32) {
        let scaled = map(|row| map(|x| x * by, row), xs);
        (scaled, map(|row| row[0] > 0.0, xs), xs[0][0] + by)
    }
    pub fn doubled<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 2.0 * x, xs)
    }
}

fn rows(seed: f32) -> Array2<f32> {
    Array2::from_shape_fn((3, 5), |(m, n)| seed * (m as f32 - 1.0) + n as f32)
}

#[test]
fn a_typed_result_is_written_over_that_of_an_earlier_run() {
    for device in devices::all() {
        let program = several::compile(device, several::Sizes { N: 5, M: 3 }).unwrap();
        let mut place = program.run(rows(1.0).view(), 2.0).unwrap();
        let address = place.0.as_ptr();
        let times = program.run_into(rows(-4.0).view(), 3.0, &mut place).unwrap();
        assert_eq!(times.kernels.len(), program.plan().launches.len());
        assert_eq!(place, program.run(rows(-4.0).view(), 3.0).unwrap(), "{device}");
        assert_eq!(place.0, rows(-4.0) * 3.0, "{device}");
        assert_eq!(place.0.as_ptr(), address, "{device}: it lies elsewhere");
        let one = doubled::compile(device, doubled::Sizes { N: 2 }).unwrap();
        let mut place = Array1::zeros(2);
        one.run_into(array![1.0, 2.0].view(), &mut place).unwrap();
        assert_eq!(place, array![2.0, 4.0], "{device}");
    }
}

#[test]
fn views_of_any_layout_are_written_to_and_nothing_beside_them() {
    for device in devices::all() {
        let program = several::compile(device, several::Sizes { N: 5, M: 3 }).unwrap();
        let (scaled, positive, sum) = program.run(rows(2.0).view(), 0.5).unwrap();
        let (xs, mut wide) = (rows(2.0), Array2::from_elem((10, 6), 7.0f32));
        let (mut signs, mut number) = (Array1::from_elem(3, true), 0.0f32);
        // Every other row and some of the columns, turned round.
        let mut turned = wide.slice_mut(s![..;2, 1..4]).reversed_axes();
        let to = [Destination::from(&mut turned), (&mut signs).into(), (&mut number).into()];
        let times = lift::Compiled::run_into(&program, &[(&xs).into(), 0.5f32.into()], to).unwrap();
        assert_eq!(times.kernels.len(), program.plan().launches.len());
        assert_eq!((&turned.to_owned(), &signs, number), (&scaled, &positive, sum), "{device}");
        let written = scaled.t();
        for ((y, x), got) in wide.indexed_iter() {
            let inside = y % 2 == 0 && (1..4).contains(&x);
            assert_eq!(*got, if inside { written[(y / 2, x - 1)] } else { 7.0 }, "{device} at {y}, {x}");
        }
    }
}

#[test]
fn many_runs_in_a_row_leave_what_one_leaves() {
    for device in devices::all() {
        let program = several::compile(device, several::Sizes { N: 5, M: 3 }).unwrap();
        let program: &lift::Compiled = &program;
        let (xs, ys) = (rows(1.0), rows(-3.0));
        let once = program.run(&[(&ys).into(), 2.0f32.into()]).unwrap();
        let mut outputs = program.run(&[(&xs).into(), 1.0f32.into()]).unwrap();
        for runs in [1, 2, 75] {
            let runs = NonZeroUsize::new(runs).unwrap();
            let time = program.run_repeatedly(runs, &[(&ys).into(), 2.0f32.into()], &mut outputs).unwrap();
            assert!(time > Duration::ZERO, "{device}");
            assert_eq!(format!("{outputs:?}"), format!("{once:?}"), "{device}: {runs} runs");
        }
    }
}

#[test]
fn results_of_an_earlier_run_are_places_as_they_are() {
    for device in devices::all() {
        let program = several::compile(device, several::Sizes { N: 5, M: 3 }).unwrap();
        let program: &lift::Compiled = &program;
        let (first, second) = (rows(1.0), rows(9.0));
        let mut outputs = program.run(&[(&first).into(), 1.0f32.into()]).unwrap();
        program.run_into(&[(&second).into(), 1.0f32.into()], &mut outputs).unwrap();
        let scaled: ArrayD<f32> = outputs.remove(0).into_array().unwrap();
        assert_eq!(scaled, second.into_dyn(), "{device}");
        assert!(!outputs.remove(0).into_array::<bool>().unwrap()[[0]], "{device}");
    }
}

#[test]
fn a_place_of_another_type_or_shape_is_refused_in_words() {
    let device = &Device::cpu();
    let program = doubled::compile(device, doubled::Sizes { N: 2 }).unwrap();
    let program: &lift::Compiled = &program;
    let xs = array![1.0f32, 2.0];
    let into = |to: Vec<Destination<'_>>| program.run_into(&[(&xs).into()], to).unwrap_err();
    let (mut long, mut whole, mut flat) = (Array1::<f32>::zeros(3), Array1::<i32>::zeros(2), 1.0f32);
    let message = |error: Error| error.to_string();
    assert_eq!(
        message(into(vec![(&mut long).into()])),
        "result 0 of `doubled` is [f32; 2], and can't be written into [f32; 3]"
    );
    assert_eq!(
        message(into(vec![(&mut whole).into()])),
        "result 0 of `doubled` is [f32; 2], and can't be written into [i32; 2]"
    );
    assert_eq!(
        message(into(vec![(&mut flat).into()])),
        "result 0 of `doubled` is [f32; 2], and can't be written into f32"
    );
    assert_eq!(message(into(vec![])), "`doubled` has 1 result, but 0 places were given to write results to");
    assert_eq!(long, Array1::<f32>::zeros(3));
}

#[test]
fn nothing_is_a_place_too() {
    for device in devices::all() {
        let program = lift!(|xs: [f32; N]| take(0, xs)).program().clone();
        let program = lift::compile(&program, device, &[4]).unwrap();
        let mut none = Array1::<f32>::zeros(0);
        program.run_into(&[(&Array1::<f32>::zeros(4)).into()], [&mut none]).unwrap();
    }
}
