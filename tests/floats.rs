//! What docs/language.md says of floats, sentence by sentence, on every device: which order, which roundings, and what
//! becomes of zeros, infinities, NaN and denormals.

mod common;

use common::devices;
use lift::Kind;
use lift::prelude::*;

lift! {
    pub fn differences<N>(xs: [f32; N], a: f32, b: f32) -> [f32; N] {
        map(|x| x - a - b, xs)
    }
    /// `x` rounded to a whole number, by the bits that do not fit.
    pub fn to_whole<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| (x + 12582912.0) - 12582912.0, xs)
    }
    /// What `a + b` is off by: Knuth's two-sum.
    pub fn two_sum<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(a, b)| {
            let s = a + b;
            let t = s - a;
            (a - (s - t)) + (b - t)
        }, zip(xs, ys))
    }
    pub fn products<N>(xs: [f32; N], a: f32, b: f32) -> [f32; N] {
        map(|x| x * a * b, xs)
    }
    /// Kahan's sum: not a reduction whose terms can be taken in any order.
    pub fn compensated<N>(xs: [f32; N]) -> f32 {
        let start = (0.0, 0.0);
        reduce(start, |(sum, lost), x| {
            let y = x - lost;
            let t = sum + y;
            (t, (t - sum) - y)
        }, xs).0
    }
    pub fn log_softmax<N>(xs: [f32; N]) -> [f32; N] {
        let top = reduce(f32::NEG_INFINITY, |a, x| max(a, x), xs);
        let sum = reduce(0.0, |a, x| a + exp(x - top), xs);
        map(|x| x - top - ln(sum), xs)
    }
    /// `iterate` is no reduction.
    pub fn steps<N>(xs: [f32; N], a: f32) -> [f32; N] {
        map(|x| iterate(1000, |v| v + a, x), xs)
    }
    /// Nor is `scan`.
    pub fn running<N>(xs: [f32; N]) -> [f32; N] {
        scan(0.0, |a, x| a + x, xs)
    }
    pub fn sums<N, M>(xs: [[f32; N]; M]) -> [f32; M] {
        map(|row| reduce(0.0, |a, x| a + x, row), xs)
    }
    pub fn sum_and_product<N>(xs: [f32; N]) -> (f32, f32) {
        reduce((0.0, 1.0), |(s, p), x| (s + x, p * x), xs)
    }
    #[strict]
    pub fn sums_in_order<N, M>(xs: [[f32; N]; M]) -> [f32; M] {
        map(|row| reduce(0.0, |a, x| a + x, row), xs)
    }
    pub fn multiply_add<N>(xs: [f32; N], ys: [f32; N], zs: [f32; N]) -> [f32; N] {
        map(|(x, y, z)| x * y + z, zip(xs, ys, zs))
    }
    pub fn exponentials<N>(xs: [f32; N]) -> ([f32; N], [f32; N]) {
        (map(exp, xs), map(tanh, xs))
    }
    pub fn divided_in_turn<N, M>(rows: [[f32; N]; M], by: [f32; M]) -> [[f32; N]; M] {
        map(|(row, t)| mapSeq(|x| x / t, row), zip(rows, by))
    }
    #[strict]
    pub fn strictly_divided_in_turn<N, M>(rows: [[f32; N]; M], by: [f32; M]) -> [[f32; N]; M] {
        map(|(row, t)| mapSeq(|x| x / t, row), zip(rows, by))
    }
    #[strict]
    pub fn multiply_then_add<N>(xs: [f32; N], ys: [f32; N], zs: [f32; N]) -> [f32; N] {
        map(|(x, y, z)| x * y + z, zip(xs, ys, zs))
    }
    pub fn quotients<N>(xs: [f32; N], ys: [f32; N]) -> [f32; N] {
        map(|(x, y)| x / y, zip(xs, ys))
    }
    pub fn roots<N>(xs: [f32; N]) -> [f32; N] {
        map(sqrt, xs)
    }
    pub fn quotients_and_roots<N>(xs: [f64; N], ys: [f64; N]) -> ([f64; N], [f64; N]) {
        (map(|(x, y)| x / y, zip(xs, ys)), map(sqrt, ys))
    }
    pub fn functions<N>(xs: [f32; N]) -> ([f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N], [f32; N]) {
        (map(exp, xs), map(ln, xs), map(sin, xs), map(cos, xs), map(tan, xs), map(tanh, xs),
            map(|x| pow(x, 1.7), xs))
    }
    /// By exponents that products and roots make, one after the other in memory and as vectors.
    pub fn powers<N>(xs: [f32; 16 * N]) -> ([f32; 16 * N], [f32; 16 * N], [f32; 16 * N], [f32; 16 * N], [f32; 16 * N], [f32; 16 * N]) {
        (map(|x| pow(x, 0.25), xs), map(|x| pow(x, 0.5), xs), asScalar(mapGlb(0, |x| pow(x, 0.75), asVector(16, xs))),
            asScalar(mapGlb(0, |x| pow(x, 1.75), asVector(16, xs))), map(|x| pow(x, 2.0), xs), asScalar(mapGlb(0, |x| pow(x, 3.5), asVector(16, xs))))
    }
    pub fn add_zero<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x + 0.0, xs)
    }
    pub fn times_zero<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 0.0, xs)
    }
    pub fn subtract_from_zero<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 0.0 - x, xs)
    }
    pub fn reciprocals<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| 1.0 / x, xs)
    }
    pub fn minus_itself<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x - x, xs)
    }
    pub fn is_itself<N>(xs: [f32; N]) -> [bool; N] {
        map(|x| x == x, xs)
    }
    pub fn smaller_and_larger<N>(xs: [f32; N], ys: [f32; N]) -> ([f32; N], [f32; N]) {
        (map(|(x, y)| min(x, y), zip(xs, ys)), map(|(x, y)| max(x, y), zip(xs, ys)))
    }
    pub fn largest<N>(xs: [f32; N]) -> (i32, f32) {
        argBest(|best, x| x > best, xs)
    }
    #[strict]
    pub fn largest_number<N>(xs: [f64; N]) -> (i32, f64) {
        argBest(|best, x| x > best || best != best, xs)
    }
    pub fn halves<N>(xs: [f32; N]) -> [f32; N] {
        map(|x| x * 0.5, xs)
    }
    pub fn halves_of_f64<N>(xs: [f64; N]) -> [f64; N] {
        map(|x| x * 0.5, xs)
    }
    pub fn to_integers<N>(xs: [f32; N]) -> ([i32; N], [u8; N]) {
        (map(|x| x as i32, xs), map(|x| x as u8, xs))
    }
}

fn bits(values: &Array1<f32>) -> Vec<u32> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// Whole numbers and their tenths, of both signs and of all sizes.
fn numbers(seed: u64, count: usize) -> Array1<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    Array1::from_shape_simple_fn(count, || {
        let (mantissa, exponent) = (random.f32() * 2.0 - 1.0, random.i32(-20..20));
        mantissa * 2f32.powi(exponent)
    })
}

#[test]
fn powers_by_quarters_are_powers() {
    let least = f32::MIN_POSITIVE;
    let xs = vec![
        f32::NEG_INFINITY,
        -4.0,
        -1.0,
        -least,
        -0.0,
        0.0,
        least,
        1e-30,
        0.5,
        1.0,
        1.0000001,
        3.0,
        1e10,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let exponents = [0.25f64, 0.5, 0.75, 1.75, 2.0, 3.5];
    for device in devices::all() {
        let array = Array1::from(xs.clone());
        let results = lift::run(powers::program(), device, &[], &[(&array).into()]).expect("it runs");
        let results = results.into_iter().map(|result| result.into_array::<f32>().expect("floats"));
        for (exponent, found) in exponents.iter().zip(results) {
            for (x, y) in xs.iter().zip(&found) {
                let wanted = f64::from(*x).powf(*exponent) as f32;
                // 16 units in the last place, and what is too small to be told from zero.
                let near = (y - wanted).abs() <= 16.0 * f32::EPSILON * wanted.abs() + 2.0 * least;
                let same =
                    wanted.is_nan() && y.is_nan() || *y == wanted && (wanted != 0.0 || !y.is_sign_negative());
                assert!(near || same, "{device}: pow({x:e}, {exponent}) is {y:e}, and not {wanted:e}");
                assert!(wanted != 0.0 || !y.is_sign_negative(), "{device}: pow({x:e}, {exponent}) is {y:e}");
            }
        }
    }
}

#[test]
fn expressions_are_computed_as_they_are_written() {
    let (xs, ys) = (numbers(1, 100), numbers(2, 100));
    for device in devices::all() {
        let got = differences(device, array![1e8f32, 1e8].view(), 1e8, 0.3).unwrap();
        assert_eq!(got, array![-0.3f32, -0.3], "{device}");

        let got = to_whole(device, xs.view()).unwrap();
        let expected = xs.mapv(|x| (x + 12582912.0) - 12582912.0);
        assert_eq!(bits(&got), bits(&expected), "{device}");

        let got = two_sum(device, xs.view(), ys.view()).unwrap();
        let error = |(a, b): (&f32, &f32)| {
            let (s, t) = (a + b, (a + b) - a);
            (a - (s - t)) + (b - t)
        };
        let expected: Vec<f32> = xs.iter().zip(&ys).map(error).collect();
        assert_eq!(got.to_vec(), expected, "{device}");
        assert!(got.iter().any(|error| *error != 0.0));

        assert_eq!(
            products(device, array![1e-30f32, 2e-30].view(), 1e30, 1e30).unwrap()[0],
            1e30,
            "{device}"
        );

        let mut many = Array1::from_elem(10_001, 1e-4f32);
        many[0] = 1000.0;
        let got = compensated(device, many.view()).unwrap();
        assert!((got - 1001.0).abs() < 1e-4, "{device}: {got}");
    }
}

#[test]
fn a_log_softmax_does_not_lose_its_digits() {
    let xs = Array1::from_iter((0..1000).map(|i| 1e4 + (i % 7) as f32 * 0.125));
    let exact = |x: f32| {
        let sum: f64 = xs.iter().map(|x| (f64::from(*x) - 1e4 - 0.75).exp()).sum();
        f64::from(x) - 1e4 - 0.75 - sum.ln()
    };
    for device in devices::all() {
        for (x, got) in xs.iter().zip(log_softmax(device, xs.view()).unwrap()) {
            assert!((f64::from(got) - exact(*x)).abs() < 4e-6, "{device}: {got} instead of {}", exact(*x));
        }
    }
}

#[test]
fn only_reductions_are_reordered() {
    let xs = numbers(3, 3000);
    let expected: Vec<f32> = xs
        .iter()
        .scan(0.0, |a, x| {
            *a += x;
            Some(*a)
        })
        .collect();
    for device in devices::all() {
        assert_eq!(running(device, xs.view()).unwrap().to_vec(), expected, "{device}");
        let got = steps(device, array![0.5f32].view(), 0.1).unwrap()[0];
        assert_eq!(got, (0..1000).fold(0.5f32, |a, _| a + 0.1), "{device}");
    }
}

/// In any order a sum is within half a unit in the last place for each addition of its largest partial sum.
#[test]
fn reductions_are_right_in_whatever_order() {
    let rows = numbers(4, 7 * 1001).into_shape_with_order((7, 1001)).unwrap();
    let factors = Array1::from_iter((0..200).map(|i| if i % 2 == 0 { 1.25f32 } else { 0.8 }));
    for device in devices::all() {
        for (row, got) in rows.outer_iter().zip(sums(device, rows.view()).unwrap()) {
            let exact: f64 = row.iter().map(|x| f64::from(*x)).sum();
            let most: f64 = row.iter().map(|x| f64::from(x.abs())).sum();
            let bound = 1001.0 * most * f64::from(f32::EPSILON) / 2.0;
            assert!((f64::from(got) - exact).abs() <= bound, "{device}: {got} instead of {exact}");
        }
        let (sum, product) = sum_and_product(device, factors.view()).unwrap();
        assert!((sum - 205.0).abs() < 1e-3 && (product - 1.0).abs() < 1e-4, "{device}: {sum}, {product}");
    }
}

/// Tenths, so that every other order would end in other bits.
#[test]
fn strict_functions_keep_the_order_of_reductions() {
    let rows = Array2::from_shape_fn((3, 1003), |(i, j)| ((j * 7 + i) % 13) as f32 * 0.1);
    let in_order: Vec<f32> = rows.outer_iter().map(|row| row.iter().fold(0.0, |a, x| a + x)).collect();
    for device in devices::all() {
        assert_eq!(sums_in_order(device, rows.view()).unwrap().to_vec(), in_order, "{device}");
    }
}

#[test]
fn only_strict_functions_round_products_always() {
    let (xs, ys) = (numbers(5, 1000), numbers(6, 1000));
    // What a product is rounded by is most of the result.
    let zs = Array1::from_iter(xs.iter().zip(&ys).map(|(x, y)| -(x * y)));
    let twice = vec![0f32; xs.len()];
    let once: Vec<f32> = xs.iter().zip(&ys).zip(&zs).map(|((x, y), z)| x.mul_add(*y, *z)).collect();
    for device in devices::all() {
        let got = multiply_then_add(device, xs.view(), ys.view(), zs.view()).unwrap();
        assert_eq!(got.to_vec(), twice, "{device}");
        let got = multiply_add(device, xs.view(), ys.view(), zs.view()).unwrap();
        for ((got, once), twice) in got.iter().zip(&once).zip(&twice) {
            assert!(got == once || got == twice, "{device}: {got} is neither {once} nor {twice}");
        }
    }
}

/// Units in the last place between a result and the exact one.
fn off(got: f32, exact: f64) -> f64 {
    let nearest = exact as f32;
    let unit = f64::from(f32::from_bits(nearest.abs().to_bits() + 1)) - f64::from(nearest.abs());
    (f64::from(got) - exact).abs() / unit
}

#[test]
fn division_and_roots_are_as_precise_as_promised() {
    let (xs, ys) = (numbers(7, 1000), numbers(8, 1000).mapv(f32::abs));
    let (wide_xs, wide_ys) = (xs.mapv(f64::from), ys.mapv(f64::from));
    for device in devices::all() {
        let (by, root) = if device.kind() == Kind::BuiltIn { (0.5, 0.5) } else { (2.5, 3.0) };
        for ((x, y), got) in xs.iter().zip(&ys).zip(quotients(device, xs.view(), ys.view()).unwrap()) {
            assert!(off(got, f64::from(*x) / f64::from(*y)) <= by, "{device}: {x} / {y} is {got}");
        }
        for (y, got) in ys.iter().zip(roots(device, ys.view()).unwrap()) {
            assert!(off(got, f64::from(*y).sqrt()) <= root, "{device}: the root of {y} is {got}");
        }
        let (divided, rooted) = quotients_and_roots(device, wide_xs.view(), wide_ys.view()).unwrap();
        assert_eq!(divided, &wide_xs / &wide_ys, "{device}");
        assert_eq!(rooted, wide_ys.mapv(f64::sqrt), "{device}");
    }
}

/// A loop that divides by the same number multiplies by its reciprocal: for all divisors, those without a reciprocal that a
/// float can hold among them.
#[test]
fn divisions_by_what_a_loop_does_not_change_are_precise_too() {
    let sides = [f32::INFINITY, f32::NAN, 0.0, -0.0, f32::MAX, f32::MIN_POSITIVE, 1e-45, -3.0];
    let powers = (-148..128).step_by(3).map(|k| (1.0 + f32::from(k as i16).sin().abs()) * 2f32.powi(k));
    let all = Array1::from_iter(powers.chain(sides));
    let rows = ndarray::Array2::from_shape_fn((all.len(), all.len()), |(_, i)| all[i]);
    for device in devices::all() {
        let got = divided_in_turn(device, rows.view(), all.view()).unwrap();
        let strictly = strictly_divided_in_turn(device, rows.view(), all.view()).unwrap();
        for ((m, n), got) in got.indexed_iter() {
            let (x, t) = (all[n], all[m]);
            let exact = f64::from(x) / f64::from(t);
            let right = match exact as f32 {
                nan if nan.is_nan() => got.is_nan(),
                // What is nearly too large for a float may be too large.
                large if large.is_infinite() || large.abs() == f32::MAX => got.abs() >= f32::MAX * 0.99,
                number => off(*got, exact) <= 2.5 || got.is_infinite() && number.abs() > f32::MAX * 0.99,
            };
            assert!(right, "{device}: {x} / {t} is {got}, and exactly {exact}");
            if device.kind() == Kind::BuiltIn {
                assert!(strictly[(m, n)].to_bits() == (x / t).to_bits() || (x / t).is_nan(), "{x} / {t}");
            }
        }
    }
}

#[test]
fn functions_are_as_precise_as_opencl_asks_for() {
    let xs = Array1::from_iter((1..2000).map(|i| i as f32 * 0.0123));
    type Exact = fn(f64) -> f64;
    let exact: [(&str, f64, Exact); 7] = [
        ("exp", 3.0, f64::exp),
        ("ln", 3.0, f64::ln),
        ("sin", 4.0, f64::sin),
        ("cos", 4.0, f64::cos),
        ("tan", 5.0, f64::tan),
        ("tanh", 5.0, f64::tanh),
        ("pow", 16.0, |x| x.powf(f64::from(1.7f32))),
    ];
    for device in devices::all() {
        let (a, b, c, d, e, f, g) = functions(device, xs.view()).unwrap();
        for ((name, most, exact), got) in exact.iter().zip([a, b, c, d, e, f, g]) {
            for (x, got) in xs.iter().zip(got) {
                let off = off(got, exact(f64::from(*x)));
                assert!(off <= *most, "{device}: {name}({x}) is {got}, {off} units off");
            }
        }
    }
}

/// Also where results are tiny, huge or no normal numbers.
#[test]
fn exponentials_are_precise_wherever_they_are_numbers() {
    let both = |x: f32| [x, -x];
    let xs: Vec<f32> = (0..9000).flat_map(|i| both(i as f32 * 0.0123)).collect();
    let tiny = (0..150).flat_map(|k| both(1.37 * 2f32.powi(-k)));
    let xs = Array1::from_iter(xs.into_iter().chain(tiny));
    for device in devices::all() {
        let (powers, tangents) = exponentials(device, xs.view()).unwrap();
        for ((x, e), t) in xs.iter().zip(powers).zip(tangents) {
            let wide = f64::from(*x);
            // OpenCL lets devices take numbers too small to be normal for 0.
            let flushed =
                device.kind() != Kind::BuiltIn && e == 0.0 && wide.exp() < f64::from(f32::MIN_POSITIVE);
            let infinite = e.is_infinite() && wide.exp() > f64::from(f32::MAX);
            assert!(flushed || infinite || off(e, wide.exp()) <= 3.0, "{device}: exp({x}) is {e}");
            let flushed = device.kind() != Kind::BuiltIn && t == 0.0 && x.abs() < f32::MIN_POSITIVE;
            assert!(flushed || off(t, wide.tanh()) <= 5.0 && t.abs() <= 1.0, "{device}: tanh({x}) is {t}");
        }
        let (_, zeros) = exponentials(device, array![0.0f32, -0.0].view()).unwrap();
        assert_eq!(bits(&zeros), bits(&array![0.0f32, -0.0]), "{device}");
        let (e, t) = exponentials(device, array![f32::NAN, f32::INFINITY, -f32::INFINITY].view()).unwrap();
        assert!(e[0].is_nan() && t[0].is_nan(), "{device}: of NaN {e}, {t}");
        assert_eq!((e[1], e[2]), (f32::INFINITY, 0.0), "{device}");
        assert!(off(t[1], 1.0) <= 1.0 && off(t[2], -1.0) <= 1.0, "{device}: {t}");
    }
}

#[test]
fn zeros_keep_their_signs() {
    let zeros = array![0.0f32, -0.0, 0.0, -0.0];
    for device in devices::all() {
        assert_eq!(bits(&add_zero(device, zeros.view()).unwrap()), bits(&Array1::zeros(4)), "{device}");
        let got = times_zero(device, array![-2.0f32, 2.0, -0.0].view()).unwrap();
        assert_eq!(bits(&got), bits(&array![-0.0f32, 0.0, -0.0]), "{device}");
        // Unlike negation.
        let got = subtract_from_zero(device, array![0.0f32, -0.0].view()).unwrap();
        assert_eq!(bits(&got), bits(&array![0.0f32, 0.0]), "{device}");
        let got = reciprocals(device, zeros.view()).unwrap();
        let (most, least) = (f32::INFINITY, f32::NEG_INFINITY);
        assert_eq!(got, array![most, least, most, least], "{device}");
    }
}

#[test]
fn infinities_and_nan_keep_their_meaning() {
    let (most, least, nan) = (f32::INFINITY, f32::NEG_INFINITY, f32::NAN);
    let xs = array![most, least, nan, 1.0];
    for device in devices::all() {
        let got = minus_itself(device, xs.view()).unwrap();
        assert!(got.iter().take(3).all(|v| v.is_nan()) && got[3] == 0.0, "{device}: {got}");
        let got = times_zero(device, xs.view()).unwrap();
        assert!(got.iter().take(3).all(|v| v.is_nan()) && got[3] == 0.0, "{device}: {got}");
        assert_eq!(is_itself(device, xs.view()).unwrap(), array![true, true, false, true], "{device}");
        let (smaller, larger) =
            smaller_and_larger(device, xs.view(), array![1.0, 1.0, 1.0, nan].view()).unwrap();
        assert_eq!(smaller, array![1.0, least, 1.0, 1.0], "{device}");
        assert_eq!(larger, array![most, 1.0, 1.0, 1.0], "{device}");
    }
}

/// What `argBest` says of them.
#[test]
fn no_nan_is_better_and_nothing_is_better_than_a_nan() {
    let (most, least, nan) = (f32::INFINITY, f32::NEG_INFINITY, f32::NAN);
    for device in devices::all() {
        let of = |xs: &[f32]| largest(device, ndarray::aview1(xs)).unwrap();
        assert_eq!(of(&[1.0, nan, 3.0, nan, 3.0, 2.0]), (2, 3.0), "{device}");
        assert_eq!(of(&[least, nan, most, most]), (2, most), "{device}");
        assert_eq!(of(&[least, least]), (0, least), "{device}");
        assert_eq!(of(&[-0.0, 0.0]).0, 0, "{device}");
        let (at, first) = of(&[nan, 5.0]);
        assert!(at == 0 && first.is_nan(), "{device}: {at} {first}");
        let nan = f64::NAN;
        let of = |xs: &[f64]| largest_number(device, ndarray::aview1(xs)).unwrap();
        assert_eq!(of(&[nan, nan, -5.0, nan, -4.0, -4.0]), (4, -4.0), "{device}");
        assert_eq!(of(&[nan, f64::NEG_INFINITY]), (1, f64::NEG_INFINITY), "{device}");
        assert!(of(&[nan]).1.is_nan(), "{device}");
    }
}

#[test]
fn denormals_are_kept_where_a_device_has_them() {
    let small = array![f32::MIN_POSITIVE, -f32::MIN_POSITIVE, f32::from_bits(2)];
    let wide = array![f64::MIN_POSITIVE, f64::from_bits(2)];
    for device in devices::all() {
        let expected = small.mapv(|x| x * 0.5);
        let got = halves(device, small.view()).unwrap();
        let flushed = device.kind() != Kind::BuiltIn && got.iter().all(|x| *x == 0.0);
        assert!(bits(&got) == bits(&expected) || flushed, "{device}: {got:e} instead of {expected:e}");
        assert_eq!(halves_of_f64(device, wide.view()).unwrap(), wide.mapv(|x| x * 0.5), "{device}");
    }
}

#[test]
fn conversions_are_those_of_rust() {
    let xs = array![-1.9f32, 1.9, 1e10, -1e10, f32::NAN, f32::INFINITY, 255.5, 256.0];
    for device in devices::all() {
        let (wide, bytes) = to_integers(device, xs.view()).unwrap();
        assert_eq!(wide, xs.mapv(|x| x as i32), "{device}");
        assert_eq!(bytes, xs.mapv(|x| x as u8), "{device}");
    }
}

lift! {
    fn extremes<N>(from: f32, xs: [f32; N]) -> (f32, f32) {
        (reduce(from, |acc, x| min(acc, x), xs), reduce(from, |acc, x| max(acc, x), xs))
    }
}

/// However many elements are compared at a time: NaN counts only where there is nothing else.
#[test]
fn the_least_and_the_greatest_are_numbers_if_there_is_one() {
    let (nan, most, least) = (f32::NAN, f32::INFINITY, f32::NEG_INFINITY);
    for device in devices::all() {
        for n in [1, 15, 16, 17, 100] {
            let numbers = Array1::from_shape_fn(n, |k| if k == n / 2 { 3.0 } else { nan });
            assert_eq!(extremes(device, nan, numbers.view()).unwrap(), (3.0, 3.0), "{device}, {n}");
            let none = Array1::from_elem(n, nan);
            assert_eq!(extremes(device, 1.5, none.view()).unwrap(), (1.5, 1.5), "{device}, {n}");
            let (low, high) = extremes(device, nan, none.view()).unwrap();
            assert!(low.is_nan() && high.is_nan(), "{device}, {n}: {low} {high}");
            let infinite = Array1::from_shape_fn(n, |k| if k % 2 == 0 { most } else { nan });
            assert_eq!(extremes(device, least, infinite.view()).unwrap(), (least, most), "{device}, {n}");
        }
    }
}
