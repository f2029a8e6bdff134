//! What lanes of vectors do is what Rust does with each number, of every type: also where languages have an operator for
//! vectors of some numbers only, where C would compute with wider ones, and where it leaves open what happens.

mod common;

use common::devices;
use lift::ndarray::Array1;
use lift::prelude::*;

/// A function that converts vectors to all types, and a test that compares it with Rust's `as`.
macro_rules! conversions {
    ($($from:ident $four:ident $sixteen:ident: $numbers:expr;)*) => {
        lift! { $(
            pub fn $four<N>(xs: [$from; 4 * N]) -> (
                [i8; 4 * N], [u8; 4 * N], [i16; 4 * N], [u16; 4 * N], [i32; 4 * N], [u32; 4 * N], [i64; 4 * N], [u64; 4 * N],
                [f32; 4 * N],
            ) {
                let v = asVector(4, xs);
                (
                    asScalar(map(|x| x as i8, v)), asScalar(map(|x| x as u8, v)), asScalar(map(|x| x as i16, v)),
                    asScalar(map(|x| x as u16, v)), asScalar(map(|x| x as i32, v)), asScalar(map(|x| x as u32, v)),
                    asScalar(map(|x| x as i64, v)), asScalar(map(|x| x as u64, v)), asScalar(map(|x| x as f32, v)),
                )
            }

            pub fn $sixteen<N>(xs: [$from; 16 * N]) -> ([u8; 16 * N], [i16; 16 * N], [i32; 16 * N], [f32; 16 * N]) {
                let v = asVector(16, xs);
                (
                    asScalar(map(|x| x as u8, v)), asScalar(map(|x| x as i16, v)), asScalar(map(|x| x as i32, v)),
                    asScalar(map(|x| x as f32, v)),
                )
            }
        )* }

        $(#[test]
        fn $from() {
            let numbers: &[$from] = &$numbers;
            let xs: Array1<$from> = numbers.iter().copied().cycle().take(48).collect();
            for device in devices::all() {
                let got = $four(device, xs.view()).expect("it runs");
                assert_eq!(got.0, xs.mapv(|x| x as i8), "{device}");
                assert_eq!(got.1, xs.mapv(|x| x as u8), "{device}");
                assert_eq!(got.2, xs.mapv(|x| x as i16), "{device}");
                assert_eq!(got.3, xs.mapv(|x| x as u16), "{device}");
                assert_eq!(got.4, xs.mapv(|x| x as i32), "{device}");
                assert_eq!(got.5, xs.mapv(|x| x as u32), "{device}");
                assert_eq!(got.6, xs.mapv(|x| x as i64), "{device}");
                assert_eq!(got.7, xs.mapv(|x| x as u64), "{device}");
                let bits = |xs: &Array1<f32>| xs.mapv(|x| if x.is_nan() { 0 } else { x.to_bits() });
                assert_eq!(bits(&got.8), bits(&xs.mapv(|x| x as f32)), "{device}");
                let got = $sixteen(device, xs.view()).expect("it runs");
                assert_eq!(got.0, xs.mapv(|x| x as u8), "{device}");
                assert_eq!(got.1, xs.mapv(|x| x as i16), "{device}");
                assert_eq!(got.2, xs.mapv(|x| x as i32), "{device}");
                assert_eq!(bits(&got.3), bits(&xs.mapv(|x| x as f32)), "{device}");
            }
        })*
    };
}

mod convert_as_rust_does {
    use super::*;

    conversions! {
        i8 four_i8 sixteen_i8: [i8::MIN, -100, -1, 0, 1, 77, i8::MAX];
        u8 four_u8 sixteen_u8: [0, 1, 127, 128, 200, u8::MAX];
        i16 four_i16 sixteen_i16: [i16::MIN, -129, -128, -1, 0, 127, 128, 255, 256, i16::MAX];
        u16 four_u16 sixteen_u16: [0, 127, 128, 255, 256, 32767, 32768, u16::MAX];
        i32 four_i32 sixteen_i32: [i32::MIN, -32769, -1, 0, 255, 65536, 16777217, i32::MAX];
        u32 four_u32 sixteen_u32: [0, 255, 65536, 16777217, 1 << 31, u32::MAX];
        i64 four_i64 sixteen_i64: [i64::MIN, -1 << 31, -1, 0, 1 << 24, 1 << 40, i64::MAX];
        u64 four_u64 sixteen_u64: [0, 255, 1 << 32, (1 << 63) + 12345, u64::MAX];
        f32 four_f32 sixteen_f32: [
            f32::NEG_INFINITY, -3e9, -2147483648.0, -40000.5, -128.9, -1.5, -0.9, -0.0, 0.0, 0.7, 1.5, 127.9, 128.0, 255.5,
            256.0, 32767.9, 65535.5, 65536.0, 2147483520.0, 2147483648.0, 4294967296.0, 2e10, f32::INFINITY, f32::NAN,
        ];
        f64 four_f64 sixteen_f64: [
            f64::NEG_INFINITY, -1e20, -2147483648.9, -128.9, -0.9, 0.3, 127.9, 255.5, 65535.9, 2147483647.5, 2147483648.0,
            4294967295.5, 1e15, 1e20, f64::INFINITY, f64::NAN,
        ];
    }
}

/// A function with what operators there are of vectors of integers, and a test.
macro_rules! operators {
    ($($ty:ident $name:ident;)*) => {
        lift! { $(
            pub fn $name<N>(xs: [$ty; 8 * N], ys: [$ty; 8 * N]) -> (
                [$ty; 8 * N], [$ty; 8 * N], [$ty; 8 * N], [$ty; 8 * N], [$ty; 8 * N], [$ty; 8 * N], [$ty; 8 * N],
            ) {
                let pairs = zip(asVector(8, xs), asVector(8, ys));
                (
                    asScalar(map(|(x, y)| x * y + x, pairs)),
                    asScalar(map(|(x, y)| x - y * 3, pairs)),
                    asScalar(map(|(x, y)| max(min(x, y), 2), pairs)),
                    asScalar(map(|(x, y)| (x & y) | (x ^ 5), pairs)),
                    asScalar(map(|(x, y)| !x + (y >> 3) - (x << 1), pairs)),
                    asScalar(map(|(x, y)| if x < y && y != 7 { x - y } else { abs(x) }, pairs)),
                    asScalar(map(|(x, y)| x / y + x % y, pairs)),
                )
            }
        )* }

        $(#[test]
        fn $ty() {
            let numbers = [$ty::MIN, $ty::MIN + 1, 0, 1, 3, 7, 100, $ty::MAX / 2, $ty::MAX - 1, $ty::MAX];
            let pairs = numbers.iter().flat_map(|x| numbers.iter().map(|y| (*x, *y)));
            let (xs, ys): (Vec<$ty>, Vec<$ty>) = pairs.take(96).unzip();
            let (xs, ys) = (Array1::from(xs), Array1::from(ys));
            let each = |f: &dyn Fn($ty, $ty) -> $ty| xs.iter().zip(&ys).map(|(x, y)| f(*x, *y)).collect::<Array1<$ty>>();
            let magnitude = |x: $ty| if x < 1 { (0 as $ty).wrapping_sub(x) } else { x };
            let quotient = |x: $ty, y: $ty| if y == 0 { 0 } else { x.wrapping_div(y) };
            let rest = |x: $ty, y: $ty| if y == 0 { 0 } else { x.wrapping_rem(y) };
            for device in devices::all() {
                let got = $name(device, xs.view(), ys.view()).expect("it runs");
                assert_eq!(got.0, each(&|x, y| x.wrapping_mul(y).wrapping_add(x)), "{device}");
                assert_eq!(got.1, each(&|x, y| x.wrapping_sub(y.wrapping_mul(3))), "{device}");
                assert_eq!(got.2, each(&|x, y| x.min(y).max(2)), "{device}");
                assert_eq!(got.3, each(&|x, y| (x & y) | (x ^ 5)), "{device}");
                assert_eq!(got.4, each(&|x, y| (!x).wrapping_add(y >> 3).wrapping_sub(x << 1)), "{device}");
                let chosen = |x: $ty, y: $ty| if x < y && y != 7 { x.wrapping_sub(y) } else { magnitude(x) };
                assert_eq!(got.5, each(&chosen), "{device}");
                assert_eq!(got.6, each(&|x, y| quotient(x, y).wrapping_add(rest(x, y))), "{device}");
            }
        })*
    };
}

mod compute_as_rust_does {
    use super::*;

    operators! {
        i8 of_i8;
        u8 of_u8;
        i16 of_i16;
        u16 of_u16;
        i32 of_i32;
        u32 of_u32;
        i64 of_i64;
        u64 of_u64;
    }
}

lift! {
    pub fn halves<N>(xs: [f16; 8 * N], ys: [f16; 8 * N]) -> ([f16; 8 * N], [f16; 8 * N], [f32; 8 * N], [i32; 8 * N], [u8; 8 * N]) {
        let pairs = zip(asVector(8, xs), asVector(8, ys));
        (
            asScalar(map(|(x, y)| (x + y) * x - y / 2.0, pairs)),
            asScalar(map(|(x, y)| max(-x, min(y, 3.0)), pairs)),
            asScalar(map(|(x, y)| x as f32 + y as f32, pairs)),
            asScalar(map(|(x, _)| x as i32, pairs)),
            asScalar(map(|(_, y)| (y as f32 * 2.0) as f16 as u8, pairs)),
        )
    }
}

#[test]
fn halves_do_too() {
    let xs: Array1<f16> = (-24..24).map(|n| f16::from_f32(n as f32 / 4.0)).collect();
    let ys: Array1<f16> = (0..48).map(|n| f16::from_f32((n * 7 % 13) as f32 * 64.0)).collect();
    let each = |f: &dyn Fn(f32, f32) -> f32| -> Vec<f32> {
        xs.iter().zip(&ys).map(|(x, y)| f(x.to_f32(), y.to_f32())).collect()
    };
    for device in devices::all() {
        let (a, b, c, d, e) = match halves(device, xs.view(), ys.view()) {
            Err(lift::Error::Unsupported { .. }) => continue,
            other => other.expect("it runs"),
        };
        for (got, exact) in a.iter().zip(each(&|x, y| (x + y) * x - y / 2.0)) {
            assert!((got.to_f32() - exact).abs() <= 4.0, "{device}: {got}, not {exact}");
        }
        assert_eq!(b.mapv(f16::to_f32).to_vec(), each(&|x, y| (-x).max(y.min(3.0))), "{device}");
        assert_eq!(c.to_vec(), each(&|x, y| x + y), "{device}");
        assert_eq!(d.mapv(|n| n as f32).to_vec(), each(&|x, _| x.trunc()), "{device}");
        assert_eq!(e.mapv(f32::from).to_vec(), each(&|_, y| (y * 2.0).min(255.0)), "{device}");
    }
}
