//! Integers wrap on every device, also where C leaves undefined what happens, and compilers make use of it.

mod common;

use common::devices;
use lift::ndarray::{Array1, array};
use lift::prelude::*;

lift! {
    /// Of numbers that a compiler knows, in a loop and in vectors.
    pub fn known<N>(xs: [i64; N]) -> (i64, [i8; 4], [i32; 4]) {
        (
            dot(repeat(N + 1, 5i64), repeat(N + 1, abs(-9223372036854775808i64))),
            map(|x| abs(x), [-128i8, 127, -1, 0]),
            map(|x| 0 - x, [-2147483648i32, 2147483647, -1, 0]),
        )
    }

    pub fn magnitudes<N>(a: [i8; N], b: [i16; N], c: [i32; N], d: [i64; N]) -> ([i8; N], [i16; N], [i32; N], [i64; N]) {
        (map(|x| abs(x), a), map(|x| abs(x), b), map(|x| abs(x), c), map(|x| abs(x), d))
    }

    /// What has no sign is its own magnitude, whatever stands around it.
    pub fn of_no_sign<N>(xs: [u8; 4 * N]) -> ([u8; 4 * N], [u8; 4 * N]) {
        (
            map(|x| 2u8 * abs(if x > 3u8 { x } else { x + 1u8 }) - abs(x - 1u8), xs),
            asScalar(map(vectorize(4, |x| 2u8 * abs(x + 1u8) - abs(x - 1u8)), asVector(4, xs))),
        )
    }

    pub fn in_vectors<N>(a: [i8; 4 * N], c: [i32; 4 * N], d: [i64; 4 * N]) -> ([i8; 4 * N], [i32; 4 * N], [i64; 4 * N]) {
        (
            asScalar(map(vectorize(4, |x| abs(x)), asVector(4, a))),
            asScalar(map(vectorize(4, |x| abs(x)), asVector(4, c))),
            asScalar(map(vectorize(4, |x| abs(x)), asVector(4, d))),
        )
    }
}

lift! {
    pub fn sums_of_rows<N, M>(rows: [[i32; M]; N]) -> [i32; N] {
        map(|row| reduce(0i32, |sum, x| sum + x, row), rows)
    }
}

/// Fewer sums side by side than a vector has lanes: GCC 12 adds up too few of these where it makes vectors of such a loop.
#[test]
fn sums_side_by_side_are_whole() {
    let rows = lift::ndarray::Array2::from_shape_fn((3, 96), |(i, j)| ((i + 37 * j) % 19) as i32 - 9);
    let expected: Vec<i32> = rows.outer_iter().map(|row| row.sum()).collect();
    for device in devices::all() {
        let tuning =
            sums_of_rows::tuning(device, sums_of_rows::Sizes { N: 3, M: 96 }).expect("the sizes fit");
        for side in [2, 4, 8] {
            let form = format!("rows vectors L=1 V=1 U={side}").parse().expect("a choice");
            let mut outputs =
                tuning.build(&form).and_then(|built| built.run(&[(&rows).into()])).expect("it runs");
            let sums: Array1<i32> =
                outputs.remove(0).into_array().expect("integers").into_dimensionality().expect("a row");
            assert_eq!(sums.to_vec(), expected, "{form} on {device}");
        }
    }
}

#[test]
fn the_least_integer_is_its_own_magnitude() {
    let numbers = [i64::MIN, -1, 0, i64::MAX];
    let d = Array1::from(numbers.to_vec());
    let (a, b, c) = (
        array![i8::MIN, -1, 0, i8::MAX],
        array![i16::MIN, -1, 0, i16::MAX],
        array![i32::MIN, -1, 0, i32::MAX],
    );
    let wrapped = (
        a.mapv(i8::wrapping_abs),
        b.mapv(i16::wrapping_abs),
        c.mapv(i32::wrapping_abs),
        d.mapv(i64::wrapping_abs),
    );
    for device in devices::all() {
        // What is undefined may come out right once.
        for _ in 0..3 {
            let (sum, bytes, negated) = known(device, d.slice(lift::ndarray::s![..2])).expect("it runs");
            assert_eq!(sum, i64::MIN.wrapping_abs().wrapping_mul(15), "{device}");
            assert_eq!(bytes, array![i8::MIN, 127, 1, 0], "{device}");
            assert_eq!(negated, array![i32::MIN, -i32::MAX, 1, 0], "{device}");
            let got = magnitudes(device, a.view(), b.view(), c.view(), d.view()).expect("it runs");
            assert_eq!(got, wrapped, "{device}");
            let got = in_vectors(device, a.view(), c.view(), d.view()).expect("it runs");
            assert_eq!(got, (wrapped.0.clone(), wrapped.2.clone(), wrapped.3.clone()), "{device}");
        }
    }
}

#[test]
fn what_has_no_sign_is_its_own_magnitude() {
    let xs: Array1<u8> = (1..9).collect();
    let chosen = xs.mapv(|x| 2 * if x > 3 { x } else { x + 1 } - (x - 1));
    for device in devices::all() {
        let got = of_no_sign(device, xs.view()).expect("it runs");
        assert_eq!(got, (chosen.clone(), xs.mapv(|x| 2 * (x + 1) - (x - 1))), "{device}");
    }
}
